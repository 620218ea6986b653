// Asks before something is done that cannot be taken back.
import { html, useEffect, useId, useRef } from '../lib.js';
import { t } from '../text.js';
import { ErrorBox } from './error.js';

/** A dialog: `title`, what is in it, the button's word `yes`, and what it does. Escape and `no` leave. */
export function Confirm({ title, yes, danger = false, busy, error, onYes, onNo, children }) {
  const own = useRef(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    own.current.showModal();
    return () => before && before.isConnected && before.focus();
  }, []);
  const cancel = (event) => {
    event.preventDefault();
    if (!busy) onNo();
  };
  return html`
    <dialog ref=${own} aria-labelledby=${id} onCancel=${cancel}>
      <h2 id=${id}>${title}</h2>
      ${children}
      ${error && html`<${ErrorBox} error=${error} />`}
      <div class="actions">
        <button type="button" onClick=${onNo} disabled=${busy}>${t('confirm.no')}</button>
        <button type="button" class=${danger ? 'danger' : 'main'} onClick=${onYes} disabled=${busy}>${busy ? t('confirm.busy') : yes}</button>
      </div>
    </dialog>
  `;
}
