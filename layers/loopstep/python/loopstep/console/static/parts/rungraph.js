// A run's graph: what each node has done and which edges were taken, as it goes on. The timeline says the same in words.
import { path } from '../api.js';
import { useApi } from '../asking.js';
import { html, useMemo } from '../lib.js';
import { t } from '../text.js';
import { ErrorBox } from './error.js';
import { Graph } from './graph.js';
import { Icon } from './icon.js';

const WORST_FIRST = ['failed', 'running', 'waiting', 'ended', 'completed'];

/** `open`: it is shown, which `onOpen(open)` changes; `onPick(node, counts)`: a node of the picture was chosen. */
export function RunGraph({ run, progress, open, onOpen, picked, onPick }) {
  const picture = useApi(open ? path`/plans/${run.plan}/versions/${run.version}/graph` : null, { format: 'svg' });
  const marks = useMemo(() => marksOf(progress), [progress]);
  return html`
    <section class="run-graph" aria-label=${t('run.graph')}>
      <button type="button" class="quiet small" aria-expanded=${open ? 'true' : 'false'} onClick=${() => onOpen(!open)}>
        <${Icon} name=${open ? 'down' : 'right'} size=${12} />${t('run.graph')}
      </button>
      ${open && picture.error && html`<${ErrorBox} error=${picture.error} retry=${picture.reload} />`}
      ${open && picture.loading && html`<p class="loading" role="status">${t('shell.loading')}</p>`}
      ${open &&
      picture.data &&
      html`<${Graph} svg=${picture.data} label=${t('run.of', { plan: run.plan })} marks=${marks} picked=${picked} onPick=${(node) => onPick(node, progress.nodes[node])} />`}
    </section>
  `;
}

/** As the picture wants it: each node's gravest status, and how often it was activated. */
function marksOf({ nodes, edges }) {
  const found = {};
  for (const [id, counts] of Object.entries(nodes)) {
    found[id] = { status: WORST_FIRST.find((each) => counts[each]), count: Object.values(counts).reduce((sum, each) => sum + each, 0) };
  }
  return { nodes: found, edges };
}
