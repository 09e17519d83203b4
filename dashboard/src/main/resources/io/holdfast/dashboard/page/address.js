/** What a view looks for stands in the page's address, behind a question mark: so it can be kept, and sent to others. */

export function asked() {
  return new URLSearchParams(location.hash.split('?')[1] ?? '');
}

/** Those of `all` that the address names; all where it names none. */
export function askedOf(name, all) {
  const named = asked().get(name)?.split(' ');
  return named ? all.filter(each => named.includes(each)) : all;
}

/** The same in text: nothing for all of them. */
export function listed(some, all) {
  return some.length < all.length ? some.join(' ') || 'none' : '';
}

/** Takes the place of what stood there; no step in the browser's history. What is empty is left out. */
export function note(values) {
  const query = new URLSearchParams(Object.entries(values).filter(([, value]) => value));
  const [view] = location.hash.split('?');
  history.replaceState(null, '', `${view || '#/'}${query.size ? `?${query}` : ''}`);
}
