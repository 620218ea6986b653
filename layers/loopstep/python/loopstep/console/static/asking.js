// Requests as hooks: what a page asks for is given up when the page is left.
import { get } from './api.js';
import { useCallback, useEffect, useRef, useState } from './lib.js';

/**
 * `{data, error, loading, reload, set}` of a GET. Without a path (null) nothing is asked.
 *
 * While another path or query is asked for, `data` is null; while the same one is asked again, the old one stays.
 */
export function useApi(where, query = {}) {
  const name = where === null ? '' : `${where} ${JSON.stringify(query)}`;
  const [count, setCount] = useState(0);
  const [state, setState] = useState({ name: '', data: null, error: null });
  useEffect(() => {
    if (!name) return undefined;
    const leaving = new AbortController();
    get(where, { query, signal: leaving.signal })
      .then((data) => setState({ name, data, error: null }))
      .catch((error) => {
        if (!leaving.signal.aborted) setState((last) => ({ name, data: last.name === name ? last.data : null, error }));
      });
    return () => leaving.abort();
  }, [name, count]);
  const current = state.name === name;
  const reload = useCallback(() => setCount((last) => last + 1), []);
  const set = useCallback((data) => setState({ name, data, error: null }), [name]);
  const data = current && name ? state.data : null;
  const error = current && name ? state.error : null;
  return { data, error, loading: Boolean(name) && !data && !error, reload, set };
}

/** `{items, next, error, loading, more, reload}` of a paged list; `more()` fetches the following page. */
export function usePages(where, query = {}, limit = 50) {
  const name = where === null ? '' : `${where} ${JSON.stringify(query)}`;
  const [count, setCount] = useState(0);
  const [state, setState] = useState({ name: '', items: null, next: null, error: null, busy: false });
  const leaving = useRef(null);
  const fetch = useCallback(
    (next, items) => {
      const { signal } = leaving.current;
      setState((last) => ({ ...last, busy: true, error: null }));
      get(where, { query: { limit, ...query, next }, signal })
        .then((page) =>
          setState({ name, items: [...items, ...page.items], next: page.next, error: null, busy: false }),
        )
        .catch((error) => {
          if (signal.aborted) return;
          setState((last) => ({ ...last, name, items: last.name === name ? last.items : null, error, busy: false }));
        });
    },
    [name],
  );
  useEffect(() => {
    if (!name) return undefined;
    leaving.current = new AbortController();
    fetch(null, []);
    return () => leaving.current.abort();
  }, [name, count]);
  const current = state.name === name;
  return {
    items: current ? state.items : null,
    next: current ? state.next : null,
    error: current ? state.error : null,
    loading: Boolean(name) && (!current || (!state.items && !state.error)),
    busy: state.busy,
    more: () => state.next && !state.busy && fetch(state.next, state.items),
    reload: useCallback(() => setCount((last) => last + 1), []),
  };
}

/** Runs something once at a time: `{busy, error, act, clear}`; act(async (signal) => …) gives what it gives, or undefined. */
export function useAction() {
  const [state, setState] = useState({ busy: false, error: null });
  const leaving = useRef(null);
  useEffect(() => {
    leaving.current = new AbortController();
    return () => leaving.current.abort();
  }, []);
  const running = useRef(false);
  const act = useCallback(async (work) => {
    if (running.current) return undefined;
    running.current = true;
    setState({ busy: true, error: null });
    try {
      const done = await work(leaving.current.signal);
      setState({ busy: false, error: null });
      return done;
    } catch (error) {
      if (!leaving.current.signal.aborted) setState({ busy: false, error });
      return undefined;
    } finally {
      running.current = false;
    }
  }, []);
  return { ...state, act, clear: useCallback(() => setState({ busy: false, error: null }), []) };
}

/** A value that follows another one when that has been still for some milliseconds. */
export function useSettled(value, milliseconds) {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), milliseconds);
    return () => clearTimeout(timer);
  }, [value, milliseconds]);
  return settled;
}
