/** What is seen, as a file for a spreadsheet. */

import {el} from './dom.js';

/** `rows` returns the lines at the click. */
export function csvButton(name, header, rows) {
  return el('button', {type: 'button', class: 'export', click: () => save(name, [header, ...rows()])}, 'Save as CSV');
}

function save(name, lines) {
  // The mark in front says UTF-8 to spreadsheets that would guess.
  const file = new Blob([`\ufeff${lines.map(line => line.map(cell).join(',')).join('\r\n')}\r\n`], {type: 'text/csv'});
  const link = el('a', {href: URL.createObjectURL(file), download: `${name}.csv`});
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Names are of other programs: a spreadsheet must not take one for a formula. */
function cell(value) {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const words = /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return `"${words.replaceAll('"', '""')}"`;
}
