/** What a view looks for stands in the page's address, behind a question mark: so it can be kept, and sent to others. */

export function asked() {
  return new URLSearchParams(location.hash.split('?')[1] ?? '');
}

/** Takes the place of what stood there; no step in the browser's history. What is empty is left out. */
export function note(values) {
  const query = new URLSearchParams(Object.entries(values).filter(([, value]) => value));
  const [view] = location.hash.split('?');
  history.replaceState(null, '', `${view || '#/'}${query.size ? `?${query}` : ''}`);
}
