// A button that copies a text.
import { html, useState } from '../lib.js';
import { say } from '../shell.js';
import { t } from '../text.js';
import { Icon } from './icon.js';

/** `what` names what is copied, for those who hear the button; `text` is a text or a function that gives one. */
export function Copy({ text, what, label }) {
  const [done, setDone] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(typeof text === 'function' ? text() : text);
      setDone(true);
      say(t('copy.done'));
      setTimeout(() => setDone(false), 1500);
    } catch {
      say(t('copy.failed'));
    }
  };
  return html`
    <button type="button" class="quiet icon-button" onClick=${copy} aria-label=${t('copy.what', { what })} title=${t('copy.what', { what })}>
      <${Icon} name=${done ? 'check' : 'copy'} size=${14} />${label}
    </button>
  `;
}

/** An id or a digest in full, with its button. */
export function Id({ text, what }) {
  return html`<span class="id"><code>${text}</code><${Copy} text=${text} what=${what} /></span>`;
}
