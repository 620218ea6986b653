// Where a plan's data lives, as tables: the same as its picture.
import { html } from '../lib.js';
import { t } from '../text.js';
import { Table } from './table.js';

export function DataTable({ data }) {
  return html`
    <div class="stack">
      <div class="columns">
        <${Fields} title=${t('data.input')} fields=${data.input} />
        <${Fields} title=${t('data.state')} fields=${data.state} />
        <${Fields} title=${t('data.output')} fields=${data.output} />
      </div>
      <section>
        <h2 class="gap">${t('data.edges')}</h2>
        <${Table}
          label=${t('data.edges')}
          rows=${data.edges}
          rowKey=${(edge) => edge.id}
          columns=${[
            { id: 'edge', head: t('data.edge'), cell: (edge) => html`<code>${edge.id}</code><span class="sub">${edge.source ? `${edge.source}.${edge.port}` : t('data.caller')} → ${edge.target}</span>` },
            { id: 'sees', head: t('data.sees'), cell: (edge) => edge.sees.join(', ') },
            { id: 'rows', head: t('data.binds'), wide: true, cell: (edge) => html`<${Rows} rows=${edge.rows} />` },
          ]}
        />
      </section>
      <section>
        <h2 class="gap">${t('data.nodes')}</h2>
        <${Table}
          label=${t('data.nodes')}
          rows=${data.nodes}
          rowKey=${(node) => node.id}
          columns=${[
            { id: 'node', head: t('graph.node'), cell: (node) => html`<code>${node.id}</code><span class="sub">${node.type}</span>` },
            { id: 'input', head: t('data.takes'), cell: (node) => html`<${Types} fields=${node.input} />` },
            { id: 'output', head: t('data.gives'), cell: (node) => node.outputs.map((each) => html`<div key=${each.port}><span class="soft">${each.port}</span><${Types} fields=${each.fields} /></div>`) },
            { id: 'sets', head: t('data.config'), wide: true, cell: (node) => html`<${Rows} rows=${node.sets} />` },
          ]}
        />
      </section>
    </div>
  `;
}

function Fields({ title, fields }) {
  return html`<section class="card"><h2>${title}</h2><${Types} fields=${fields} /></section>`;
}

function Types({ fields }) {
  const all = Object.entries(fields);
  if (!all.length) return html`<span class="soft">–</span>`;
  return html`<ul class="plain">${all.map(([name, type]) => html`<li key=${name}><code>${name}</code> <span class="soft">${type}</span></li>`)}</ul>`;
}

function Rows({ rows }) {
  if (!rows.length) return html`<span class="soft">–</span>`;
  return html`<ul class="plain">${rows.map((row, index) => html`<li key=${index}><code>${row.text}</code></li>`)}</ul>`;
}
