// The activations of one node: of many items or passes, those of one status.
import { path } from '../api.js';
import { usePages } from '../asking.js';
import { html, useState } from '../lib.js';
import { t } from '../text.js';
import { named } from './activation.js';
import { useMoved } from './runlists.js';
import { Status } from './status.js';
import { PagedTable } from './table.js';
import { Between } from './time.js';

const STATUSES = ['failed', 'running', 'waiting', 'completed', 'ended'];

export function NodeActivations({ run, node, round, onPick, onClose }) {
  const [status, setStatus] = useState('');
  const pages = usePages(path`/runs/${run}/activations`, { nodeId: node, status }, 25);
  useMoved(round, pages.reload);
  const columns = [
    { id: 'which', head: t('run.which'), cell: (each) => html`<button type="button" class="link" onClick=${() => onPick(each)}>${named(each.id)}</button>` },
    { id: 'status', head: t('run.status'), cell: (each) => html`<${Status} status=${each.status} />` },
    { id: 'edge', head: t('run.left'), wide: true, cell: (each) => (each.error ? html`<code class="fault">${each.error.code}</code>` : each.edge ? `→ ${each.edge}` : '') },
    { id: 'took', head: t('run.took'), number: true, cell: (each) => (each.endedAt ? html`<${Between} from=${each.startedAt} to=${each.endedAt} />` : '…') },
  ];
  return html`
    <div class="card act">
      <div class="act-head">
        <h2>${node}</h2>
        <select class="small" aria-label=${t('run.only')} value=${status} onChange=${(event) => setStatus(event.target.value)}>
          <option value="">${t('run.all')}</option>
          ${STATUSES.map((each) => html`<option key=${each} value=${each}>${t(`status.${each}`)}</option>`)}
        </select>
        <button type="button" class="quiet push" onClick=${onClose}>${t('run.close')}</button>
      </div>
      <${PagedTable} label=${t('run.activations_of', { node })} pages=${pages} columns=${columns} rowKey=${(each) => each.id} />
    </div>
  `;
}
