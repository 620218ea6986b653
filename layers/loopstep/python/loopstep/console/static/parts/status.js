// A status: an icon, a word and a colour, so that none of them is needed alone.
import { html } from '../lib.js';
import { has, t } from '../text.js';
import { Icon } from './icon.js';

// status → [icon, tone]; tones are good, bad, busy, wait, off
export const STATUS = {
  created: ['dot', 'off'],
  running: ['run', 'busy'],
  succeeded: ['check', 'good'],
  completed: ['check', 'good'],
  failed: ['cross', 'bad'],
  cancelled: ['stop', 'off'],
  timed_out: ['hourglass', 'bad'],
  waiting: ['clock', 'wait'],
  pending: ['clock', 'wait'],
  approved: ['check', 'good'],
  rejected: ['cross', 'bad'],
  ended: ['stop', 'off'],
  enabled: ['check', 'good'],
  disabled: ['pause', 'off'],
  over: ['stop', 'off'],
  error: ['cross', 'bad'],
  warning: ['warning', 'wait'],
  valid: ['check', 'good'],
  added: ['plus', 'good'],
  removed: ['minus', 'bad'],
  changed: ['dot', 'wait'],
};

/** `text` where another word than the status's own is to stand. */
export function Status({ status, text }) {
  const [icon, tone] = STATUS[status] || ['dot', 'off'];
  const word = text || (has(`status.${status}`) ? t(`status.${status}`) : status);
  return html`<span class=${`status ${tone}`} data-status=${status}><${Icon} name=${icon} size=${14} spins=${status === 'running'} />${word}</span>`;
}
