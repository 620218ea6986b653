// The REST API, asked with the key of this browser session.

const KEY = 'loopstep.key';
const STALE = 30_000; // milliseconds; the API answers within 29 seconds

/** Where the API is: one step above the console, whatever the stage or the domain. */
export const API = new URL('../', document.baseURI);

/** What a refused request says: RFC 9457, with the stable `code` of docs/api.md. */
export class Problem extends Error {
  constructor(status, body) {
    super(body.detail || body.title || body.message || `HTTP ${status}`);
    this.status = status;
    this.code = body.code || '';
    this.errors = Array.isArray(body.errors) ? body.errors : [];
    this.diagnostics = Array.isArray(body.diagnostics) ? body.diagnostics : [];
    this.body = body;
  }

  /** Whether API Gateway refused the key, not the API the request. */
  get keyRefused() {
    return (this.status === 403 || this.status === 401) && !String(this.body.type || '').startsWith('urn:loopstep:');
  }
}

/** No answer at all: the network, or the stack is gone. */
export class Unreachable extends Error {}

let listeners = [];

/** Calls back when the key comes or goes: act(reason), reason '' or 'refused'. Gives the way to stop. */
export function onKey(act) {
  listeners.push(act);
  return () => {
    listeners = listeners.filter((each) => each !== act);
  };
}

/** The key of this session, '' without one. It is in sessionStorage only: it ends with the tab. */
export function key() {
  return sessionStorage.getItem(KEY) || '';
}

export function setKey(value) {
  sessionStorage.setItem(KEY, value);
  listeners.forEach((act) => act(''));
}

export function forgetKey(reason = '') {
  sessionStorage.removeItem(KEY);
  listeners.forEach((act) => act(reason));
}

/** The header that a key goes into; a token of an issuer (three parts with points between) goes into another. */
function proof(value) {
  return /^[\w-]+\.[\w-]+\.[\w-]+$/.test(value) ? { Authorization: `Bearer ${value}` } : { 'X-Api-Key': value };
}

/** A path with its parts encoded: path`/plans/${name}/versions/${n}`. */
export function path(texts, ...values) {
  return texts.reduce((whole, text, index) => whole + encodeURIComponent(values[index - 1]) + text);
}

/** The address of a path with what is given of the query; null, undefined and '' are left out. */
export function address(where, query = {}) {
  const url = new URL(where.replace(/^\//, ''), API);
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== undefined && value !== '') url.searchParams.set(name, value);
  }
  return url;
}

/**
 * One request; what came back: JSON data, or text where the answer is another form.
 *
 * `body`: data becomes JSON, a text is sent as it is with `type`. Throws Problem, Unreachable, and AbortError when
 * `signal` says so. A refused key is forgotten, and the page asks for one.
 */
export async function request(method, where, { query, body, type, headers, signal, ...more } = {}) {
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const sent = { ...proof(more.key || key()), ...headers };
  if (text !== undefined) sent['Content-Type'] = type || 'application/json';
  const late = AbortSignal.timeout(STALE);
  let answer;
  let said;
  try {
    answer = await fetch(address(where, query), {
      method,
      headers: sent,
      body: text,
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
      signal: signal ? AbortSignal.any([signal, late]) : late,
    });
    said = await answer.text();
  } catch (fault) {
    if (signal && signal.aborted) throw new DOMException('left', 'AbortError');
    throw new Unreachable(fault.message);
  }
  const json = /json/.test(answer.headers.get('Content-Type') || '');
  if (answer.ok) return json ? JSON.parse(said) : said;
  const problem = new Problem(answer.status, json ? read(said) : {});
  if (problem.keyRefused && !more.key) forgetKey('refused');
  throw problem;
}

export const get = (where, options) => request('GET', where, options);
export const post = (where, options) => request('POST', where, options);
export const put = (where, options) => request('PUT', where, options);
export const del = (where, options) => request('DELETE', where, options);

/** Every item of a list, page by page, at most `most`. */
export async function every(where, { query, signal, most = 1000 } = {}) {
  const items = [];
  let next = null;
  do {
    const page = await get(where, { query: { limit: 100, ...query, next }, signal });
    items.push(...page.items);
    next = page.next;
  } while (next && items.length < most);
  return items;
}

/**
 * Asks again and again until `ask(signal)` gives what `over(data)` holds for; `tell(data)` hears each answer.
 *
 * Waits while the page is hidden, and longer after each failure, which `trouble(error)` hears (null when it is over).
 */
export async function watch(ask, { signal, tell, over, pause = 0, trouble = () => {} }) {
  let failed = 0;
  while (!signal.aborted) {
    await visible(signal);
    try {
      const data = await ask(signal);
      if (failed) trouble(null);
      failed = 0;
      tell(data);
      if (over(data)) return;
      if (pause) await sleep(pause, signal);
    } catch (fault) {
      if (signal.aborted || fault.name === 'AbortError') return;
      if (fault instanceof Problem && fault.status < 500 && fault.status !== 429) throw fault;
      failed += 1;
      trouble(fault);
      await sleep(Math.min(1000 * 2 ** failed, 30_000) * (0.5 + Math.random() / 2), signal);
    }
  }
}

export function sleep(milliseconds, signal) {
  return new Promise((done) => {
    const timer = setTimeout(done, milliseconds);
    if (signal) signal.addEventListener('abort', () => (clearTimeout(timer), done()), { once: true });
  });
}

function visible(signal) {
  if (!document.hidden || signal.aborted) return Promise.resolve();
  return new Promise((done) => {
    const look = () => {
      if (!document.hidden) finish();
    };
    const finish = () => {
      document.removeEventListener('visibilitychange', look);
      done();
    };
    document.addEventListener('visibilitychange', look);
    signal.addEventListener('abort', finish, { once: true });
  });
}

function read(text) {
  try {
    const data = JSON.parse(text);
    return data && typeof data === 'object' ? data : {};
  } catch {
    return {};
  }
}
