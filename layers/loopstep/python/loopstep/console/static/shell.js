// Header, the page that the address names, and what is said to those who do not see the page change.
import { forgetKey, key, onKey } from './api.js';
import { cx, html, useCallback, useEffect, useErrorBoundary, useRef, useState } from './lib.js';
import { LOOKS, look, setLook } from './look.js';
import { ErrorBox } from './parts/error.js';
import { Icon } from './parts/icon.js';
import { KeyPrompt } from './parts/key.js';
import { go, match, usePlace } from './router.js';
import { HOME, ROUTES, SECTIONS } from './routes.js';
import { LANGUAGES, lang, speak, t, useLanguage } from './text.js';

let announce = () => {};

/** Says something to a screen reader, without moving anything. */
export function say(text) {
  announce(text);
}

export function Shell() {
  const language = useLanguage();
  const [asked, setAsked] = useState(key() ? null : '');
  useEffect(() => onKey((reason) => setAsked(key() ? null : reason)), []);
  const place = usePlace();
  const found = find(place.path);
  useEffect(() => {
    if (place.path === '/') go(HOME, true);
  }, [place.path]);
  return html`
    <a class="skip" href="#main" onClick=${skip}>${t('shell.skip')}</a>
    <${Header} section=${found ? found.route.section : ''} known=${asked === null} key=${`header ${language}`} />
    <main id="main" tabindex="-1" key=${`main ${language}`}>
      ${asked !== null
        ? html`<${KeyPrompt} refused=${asked === 'refused'} />`
        : place.path === '/'
          ? null
          : found
            ? html`<${Guard} key=${place.path}><${Loaded} ...${found} query=${place.query} path=${place.path} /><//>`
            : html`<${Nowhere} />`}
    </main>
    <${Announcer} />
  `;
}

function find(path) {
  for (const route of ROUTES) {
    const params = match(route.pattern, path);
    if (params) return { route, params };
  }
  return null;
}

function skip(event) {
  event.preventDefault();
  const main = document.getElementById('main');
  (main.querySelector('h1') || main).focus();
}

function Header({ section, known }) {
  return html`
    <header class="top">
      <a class="brand" href=${HOME}><${Icon} name="brand" />loopstep</a>
      <nav aria-label=${t('shell.pages')}>
        ${known &&
        SECTIONS.map(
          ({ id, href }) => html`
            <a key=${id} href=${href} class=${cx(id === section && 'here')} aria-current=${id === section ? 'page' : null}>
              ${t(`nav.${id}`)}
            </a>
          `,
        )}
      </nav>
      <div class="settings">
        <${Choice} label=${t('shell.look')} value=${look()} options=${LOOKS.map((id) => [id, t(`look.${id}`)])} onPick=${setLook} />
        <${Choice}
          label=${t('shell.language')}
          value=${lang()}
          options=${Object.entries(LANGUAGES)}
          onPick=${(code) => speak(code, true)}
        />
        ${known && html`<button type="button" class="quiet" onClick=${() => forgetKey()}>${t('key.forget')}</button>`}
      </div>
    </header>
  `;
}

function Choice({ label, value, options, onPick }) {
  return html`
    <select class="small" aria-label=${label} value=${value} onChange=${(event) => onPick(event.target.value)}>
      ${options.map(([id, text]) => html`<option key=${id} value=${id} selected=${id === value}>${text}</option>`)}
    </select>
  `;
}

/** A page's module, fetched; then the page. */
function Loaded({ route, params, query }) {
  const [state, setState] = useState({});
  useEffect(() => {
    let left = false;
    route.load().then(
      (module) => left || setState({ page: module.default }),
      (error) => left || setState({ error }),
    );
    return () => {
      left = true;
    };
  }, [route]);
  if (state.error) return html`<${ErrorBox} title=${t('shell.moved')} retry=${() => location.reload()} again=${t('shell.reload')} />`;
  if (!state.page) return html`<p class="loading" role="status">${t('shell.loading')}</p>`;
  return html`<${state.page} params=${params} query=${query} />`;
}

/** A fault of a page takes that page, not the console. */
function Guard({ children }) {
  const [error, again] = useErrorBoundary((fault) => console.error(fault));
  return error ? html`<${ErrorBox} title=${t('shell.fault')} error=${error} retry=${again} />` : children;
}

function Nowhere() {
  return html`
    <div class="page">
      <h1 tabindex="-1">${t('shell.nowhere')}</h1>
      <p><a href=${HOME}>${t('shell.home')}</a></p>
    </div>
  `;
}

function Announcer() {
  const [text, setText] = useState('');
  const odd = useRef(false);
  announce = useCallback((said) => {
    odd.current = !odd.current; // the same words twice are two texts
    setText(said + (odd.current ? '\u00a0' : ''));
  }, []);
  return html`<div class="hidden" aria-live="polite" role="status" id="announcer">${text}</div>`;
}
