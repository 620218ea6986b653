// Tabs, as the ARIA practices have them: arrows move, Tab goes into the panel. The chosen one stands in the address.
import { html, useId, useRef } from '../lib.js';

/** `tabs`: [{id, text, count, show()}]; `chosen` an id; `onPick(id)`; `label` names the row. */
export function Tabs({ label, tabs, chosen, onPick }) {
  const own = useId();
  const row = useRef(null);
  const current = tabs.find((each) => each.id === chosen) || tabs[0];
  const move = (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1, Home: -tabs.length, End: tabs.length }[event.key];
    if (!step) return;
    event.preventDefault();
    const at = tabs.indexOf(current);
    const wanted = Math.abs(step) > 1 ? (step > 0 ? tabs.length - 1 : 0) : (at + step + tabs.length) % tabs.length;
    onPick(tabs[wanted].id);
    row.current.children[wanted].focus();
  };
  return html`
    <div class="tabs" role="tablist" aria-label=${label} ref=${row} onKeyDown=${move}>
      ${tabs.map(
        (each) => html`
          <button
            key=${each.id}
            type="button"
            role="tab"
            id=${`${own}-${each.id}`}
            aria-selected=${each === current ? 'true' : 'false'}
            aria-controls=${`${own}-panel`}
            tabindex=${each === current ? 0 : -1}
            onClick=${() => onPick(each.id)}
          >
            ${each.text}${each.count !== undefined && each.count !== null && html` <span class="count">${each.count}</span>`}
          </button>
        `,
      )}
    </div>
    <div class="panel" role="tabpanel" id=${`${own}-panel`} aria-labelledby=${`${own}-${current.id}`} key=${current.id}>
      ${current.show()}
    </div>
  `;
}
