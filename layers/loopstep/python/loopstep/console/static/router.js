// Pages by the part of the address behind #, so that the server needs to know none of them.
import { useEffect, useState } from './lib.js';

/** `{path, query}` of the address: '#/plans/refund?tab=graph' → {path: '/plans/refund', query: {tab: 'graph'}}. */
export function here() {
  const [path, query = ''] = location.hash.replace(/^#/, '').split('?');
  return { path: path || '/', query: Object.fromEntries(new URLSearchParams(query)) };
}

/** The address of a page: href('/plans/:name', {name}, {tab: 'graph'}). What is null, undefined or '' is left out. */
export function href(pattern, params = {}, query = {}) {
  const path = pattern.replace(/:(\w+)/g, (_, name) => encodeURIComponent(params[name]));
  const given = Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== '');
  return `#${path}${given.length ? `?${new URLSearchParams(given)}` : ''}`;
}

/** Goes to a page; with `replace`, Back does not come to the one that is left. */
export function go(to, replace = false) {
  if (replace) {
    history.replaceState(null, '', to);
    dispatchEvent(new HashChangeEvent('hashchange'));
  } else {
    location.hash = to.replace(/^#/, '');
  }
}

/** Changes the query of the page that is shown, without a new entry in the history. */
export function setQuery(changes) {
  const { path, query } = here();
  const next = Object.entries({ ...query, ...changes });
  const given = next.filter(([, value]) => value !== null && value !== undefined && value !== '');
  go(`#${path}${given.length ? `?${new URLSearchParams(given)}` : ''}`, true);
}

/** The place that is shown, as it changes. */
export function usePlace() {
  const [place, setPlace] = useState(here());
  useEffect(() => {
    const moved = () => setPlace(here());
    addEventListener('hashchange', moved);
    return () => removeEventListener('hashchange', moved);
  }, []);
  return place;
}

/** The params of a path that has the form of a pattern, null for another: '/plans/:name'. */
export function match(pattern, path) {
  const wanted = pattern.split('/');
  const given = path.replace(/(?<=.)\/$/, '').split('/');
  if (wanted.length !== given.length) return null;
  const params = {};
  for (const [index, part] of wanted.entries()) {
    if (part.startsWith(':')) {
      try {
        params[part.slice(1)] = decodeURIComponent(given[index]);
      } catch {
        return null;
      }
      if (!given[index]) return null;
    } else if (part !== given[index]) {
      return null;
    }
  }
  return params;
}
