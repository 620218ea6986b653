// The frame of a page: its heading, what stands above and beside it, and the focus when one comes to it.
import { html, useEffect, useRef } from '../lib.js';
import { say } from '../shell.js';
import { t } from '../text.js';

let first = true; // the browser itself looks after the first page

/**
 * `title`: the heading and the name of the tab; `crumbs`: [[text, href]] of what is above; `actions`: at the right;
 * `about`: a line below the heading. The heading gets the focus when the page is come to from another one.
 */
export function Page({ title, crumbs = [], actions, about, children, wide = false }) {
  const head = useRef(null);
  useEffect(() => {
    document.title = `${title} · loopstep`;
  }, [title]);
  useEffect(() => {
    if (!first) {
      scrollTo(0, 0);
      head.current.focus({ preventScroll: true });
      say(title);
    }
    first = false;
  }, []);
  return html`
    <div class=${wide ? 'page wide' : 'page'}>
      <div class="head">
        <div class="heading">
          ${crumbs.length > 0 &&
          html`<nav class="crumbs" aria-label=${t('shell.above')}>
            ${crumbs.map(([text, href]) => html`<a key=${href} href=${href}>${text}</a><span aria-hidden="true">/</span>`)}
          </nav>`}
          <h1 ref=${head} tabindex="-1">${title}</h1>
          ${about && html`<div class="about">${about}</div>`}
        </div>
        ${actions && html`<div class="actions">${actions}</div>`}
      </div>
      ${children}
    </div>
  `;
}

/** Where there is nothing (yet): a sentence, and what to do about it. */
export function Empty({ title, children }) {
  return html`<div class="empty"><p class="strong">${title}</p>${children && html`<div class="soft">${children}</div>`}</div>`;
}
