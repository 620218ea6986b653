// A version's graph, data and document, each with a form for those who do not see pictures.
import { path, post } from '../api.js';
import { useApi } from '../asking.js';
import { html, useEffect, useRef, useState } from '../lib.js';
import { setQuery } from '../router.js';
import { t } from '../text.js';
import { Code } from './code.js';
import { Copy } from './copy.js';
import { DataTable } from './datatable.js';
import { ErrorBox } from './error.js';
import { Graph } from './graph.js';
import { GraphTable } from './graphtable.js';
import { Json } from './json.js';

/** The graph of a published version; the chosen node stands in the address. */
export function GraphTab({ version, query }) {
  const where = path`/plans/${version.name}/versions/${version.version}/graph`;
  const picture = useApi(where, { format: 'svg' });
  const graph = useApi(where);
  const pick = (node) => setQuery({ node: node === query.node ? null : node });
  return html`
    <${Both}
      error=${picture.error || graph.error}
      retry=${() => (picture.reload(), graph.reload())}
      picture=${picture.data && html`<${Graph} svg=${picture.data} label=${version.name} picked=${query.node} onPick=${pick} />`}
      table=${graph.data && html`<${GraphTable} graph=${graph.data} picked=${query.node} onPick=${pick} />`}
      below=${graph.data && query.node && html`<${NodeCard} graph=${graph.data} id=${query.node} document=${version.document} />`}
    />
  `;
}

/** A picture, or the table of the same; which of them is kept for the session. */
export function Both({ picture, table, below, error, retry }) {
  const [form, setForm] = useState(sessionStorage.getItem('loopstep.form') || 'picture');
  const choose = (wanted) => {
    sessionStorage.setItem('loopstep.form', wanted);
    setForm(wanted);
  };
  if (error) return html`<${ErrorBox} error=${error} retry=${retry} />`;
  const shown = form === 'picture' ? picture : table;
  return html`
    <div class="bar" role="group" aria-label=${t('graph.form')}>
      ${['picture', 'table'].map(
        (each) => html`<button key=${each} type="button" class="small" aria-pressed=${each === form ? 'true' : 'false'} onClick=${() => choose(each)}>${t(`graph.${each}.form`)}</button>`,
      )}
    </div>
    ${shown || html`<p class="loading" role="status">${t('shell.loading')}</p>`}
    ${below}
  `;
}

/** What the graph says of one node. */
function NodeCard({ graph, id }) {
  const node = graph.nodes.find((each) => each.id === id);
  if (!node) return null;
  const into = graph.edges.filter((edge) => edge.target.nodeId === id);
  const out = graph.edges.filter((edge) => edge.source.nodeId === id);
  const row = (edge, text) => html`<li key=${edge.id}><code>${edge.id}</code> ${text}${edge.when && html` <span class="soft">${t('graph.when')}</span> <code>${edge.when}</code>`}</li>`;
  return html`
    <section class="card gap-above" aria-label=${t('graph.node')}>
      <h2>${node.title || node.id}</h2>
      <dl class="facts">
        <dt>${t('graph.node')}</dt>
        <dd><code>${node.id}</code> · <code>${node.type}</code></dd>
        <dt>${t('graph.arrive')}</dt>
        <dd>${into.length ? html`<ul class="plain">${into.map((edge) => row(edge, html`${edge.source.nodeId}.${edge.source.port} → ${edge.target.port}`))}</ul>` : t('graph.entry')}</dd>
        <dt>${t('graph.ways')}</dt>
        <dd>${out.length ? html`<ul class="plain">${out.map((edge) => row(edge, html`${edge.source.port} → ${edge.target.nodeId}`))}</ul>` : t('graph.nowhere')}</dd>
      </dl>
    </section>
  `;
}

/** Where data of a document lives; `text` is the document. */
export function DataView({ document }) {
  const drawn = useDrawn(document, 'data');
  const data = drawn.data;
  if (data && !data.valid) return html`<p class="soft">${t('plan.data.none')}</p>`;
  return html`
    <p class="soft">${t('plan.data.about')}</p>
    <${Both}
      error=${drawn.error}
      retry=${drawn.reload}
      picture=${data && html`<${Graph} svg=${data.picture} label=${t('plan.data')} />`}
      table=${data && html`<${DataTable} data=${data.described} />`}
    />
  `;
}

/** `{data, error, reload}` of POST /plans/draw: `{valid, diagnostics, described, picture}`; the last stays meanwhile. */
export function useDrawn(document, view) {
  const [state, setState] = useState({});
  const [count, setCount] = useState(0);
  useEffect(() => {
    if (document === null) return undefined;
    const leaving = new AbortController();
    post('/plans/draw', { query: { view }, body: document, type: 'application/yaml', signal: leaving.signal })
      .then((data) => setState({ data }))
      .catch((error) => leaving.signal.aborted || setState((last) => ({ ...last, error })));
    return () => leaving.abort();
  }, [document, view, count]);
  return { ...state, reload: () => setCount(count + 1) };
}

/** The document with its definition beside it. */
export function DocumentView({ version, line }) {
  const definition = useApi(path`/plans/${version.name}/versions/${version.version}/definition`);
  return html`
    <div class="sides">
      <section>
        <div class="bar"><h2>${t('plan.document')}</h2><span class="push"><${Copy} text=${version.document} what=${t('plan.document')} /></span></div>
        <${Code} text=${version.document} line=${line} label=${t('plan.document')} />
      </section>
      <section aria-label=${t('plan.definition')}>
        <div class="bar"><h2>${t('plan.definition')}</h2></div>
        ${definition.error && html`<${ErrorBox} error=${definition.error} retry=${definition.reload} />`}
        ${definition.loading && html`<p class="loading" role="status">${t('shell.loading')}</p>`}
        ${definition.data && html`<${Definition} data=${definition.data} version=${version} />`}
      </section>
    </div>
  `;
}

export function Definition({ data, version }) {
  const states = useRef(null);
  return html`
    <div class="card" ref=${states}>
      ${version &&
      html`<dl class="facts gap">
        <dt>${t('plan.machine')}</dt>
        <dd><code>${version.machineArn}</code></dd>
      </dl>`}
      <${Json} value=${data} label=${t('plan.definition')} depth=${2} />
    </div>
  `;
}
