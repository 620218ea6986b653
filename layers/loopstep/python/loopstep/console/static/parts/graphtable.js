// A plan's graph as tables: what the picture shows, for those who do not see it, and to look something up.
import { cx, html, useState } from '../lib.js';
import { n, t } from '../text.js';
import { Table } from './table.js';

const PIECE = 200;

/** `graph`: the API's data of a version's graph; `picked` and `onPick(id)` as in Graph. */
export function GraphTable({ graph, picked, onPick }) {
  const [wanted, setWanted] = useState('');
  const [most, setMost] = useState(PIECE);
  const has = (text) => !wanted || text.toLowerCase().includes(wanted.toLowerCase());
  const leaving = new Map(graph.nodes.map((node) => [node.id, []]));
  for (const edge of graph.edges) leaving.get(edge.source.nodeId)?.push(edge);
  const rows = graph.nodes.filter((node) => has(`${node.id} ${node.type} ${node.title}`));
  return html`
    <div class="bar">
      <label class="hidden" for="graph-search">${t('graph.search')}</label>
      <input id="graph-search" type="search" placeholder=${t('graph.search')} value=${wanted} onInput=${(event) => setWanted(event.target.value)} />
      <span class="soft" role="status">${n('graph.nodes', rows.length)}, ${n('graph.edges', graph.edges.length)}</span>
    </div>
    <${Table}
      label=${t('graph.table')}
      rows=${rows.slice(0, most)}
      rowKey=${(node) => node.id}
      mark=${(node) => cx(node.id === picked && 'picked')}
      columns=${[
        {
          id: 'node',
          head: t('graph.node'),
          cell: (node) => html`
            ${onPick
              ? html`<button type="button" class="link" aria-pressed=${node.id === picked ? 'true' : 'false'} onClick=${() => onPick(node.id)}>${node.id}</button>`
              : html`<code>${node.id}</code>`}
            ${node.title && html`<span class="sub">${node.title}</span>`}
          `,
        },
        { id: 'type', head: t('graph.type'), cell: (node) => html`<code>${node.type}</code>` },
        { id: 'within', head: t('graph.within'), cell: (node) => within(node) },
        { id: 'ways', head: t('graph.ways'), wide: true, cell: (node) => html`<${Ways} edges=${leaving.get(node.id)} />` },
      ]}
    />
    ${rows.length > most && html`<div class="pager"><button type="button" onClick=${() => setMost(most + PIECE)}>${t('table.more')}</button></div>`}
  `;
}

function within(node) {
  return (node.enclosing || []).map((each) => `${each.nodeId} (${each.part})`).join(' › ');
}

function Ways({ edges }) {
  if (!edges.length) return html`<span class="soft">${t('graph.nowhere')}</span>`;
  return html`
    <ul class="plain">
      ${edges.map(
        (edge) => html`<li key=${edge.id}>
          ${edge.source.port} → <code>${edge.target.nodeId}</code>${edge.when && html` <span class="soft">${t('graph.when')}</span> <code>${edge.when}</code>`}
          <span class="soft"> ${edge.id}</span>
        </li>`,
      )}
    </ul>
  `;
}
