// Moments and lengths of time.
import { html } from '../lib.js';
import { lang, t } from '../text.js';

/** A moment in the reader's own time; the pointer is told UTC. `brief`: without the day where it is today. */
export function Time({ at, brief = false }) {
  if (!at) return html`<span class="soft">–</span>`;
  return html`<time datetime=${at} title=${at}>${moment(at, brief)}</time>`;
}

export function moment(at, brief = false) {
  const date = new Date(at);
  const today = date.toDateString() === new Date().toDateString();
  const form = brief && today ? { timeStyle: 'medium' } : { dateStyle: 'medium', timeStyle: 'medium' };
  return new Intl.DateTimeFormat(lang() === 'zh' ? 'zh-CN' : navigator.language.startsWith('en') ? navigator.language : 'en-GB', form).format(date);
}

/** From one moment to another, or to now. */
export function Between({ from, to }) {
  if (!from) return html`<span class="soft">–</span>`;
  return html`<span class="nums">${span((to ? new Date(to) : new Date()) - new Date(from))}</span>`;
}

/** A length of time in milliseconds, with two units at most. */
export function span(milliseconds) {
  if (milliseconds < 1000) return t('time.ms', { n: Math.max(0, Math.round(milliseconds)) });
  const seconds = milliseconds / 1000;
  if (seconds < 60) return t('time.s', { n: seconds < 10 ? seconds.toFixed(1) : Math.round(seconds) });
  if (seconds < 3600) return t('time.ms2', { m: Math.floor(seconds / 60), s: Math.round(seconds % 60) });
  if (seconds < 86_400) return t('time.hm', { h: Math.floor(seconds / 3600), m: Math.floor((seconds % 3600) / 60) });
  return t('time.dh', { d: Math.floor(seconds / 86_400), h: Math.floor((seconds % 86_400) / 3600) });
}
