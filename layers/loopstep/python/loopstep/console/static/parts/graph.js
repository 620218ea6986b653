// A picture of a plan that the server drew: zoomed by buttons, keys and wheel, scrolled as any page is.
// For those who do not see it, a table of the same stands beside it (parts/graphtable.js).
import { html, useEffect, useRef, useState } from '../lib.js';
import { t } from '../text.js';
import { Icon, iconPath } from './icon.js';
import { STATUS } from './status.js';

const SVG = 'http://www.w3.org/2000/svg';
const LEAST = 0.02;
const MOST = 4;
const STEP = 1.25;
const TOOLS = 44; // pixels above the picture that the buttons take, as the style sheet has it

/**
 * `svg`: the document; `label`: what it shows.
 *
 * `marks`: {nodes: {id: {status, count}}, edges: {id: times}} colours and badges what a run did: edges with `times` are
 * taken. `picked`: the id of a node to show as chosen, which is scrolled to; `onPick(id)` when one is clicked.
 */
export function Graph({ svg, label, marks, picked, onPick }) {
  const frame = useRef(null);
  const stage = useRef(null);
  const drawn = useRef(null);
  const [zoom, setZoom] = useState(null);
  const pick = useRef(onPick);
  pick.current = onPick;

  useEffect(() => {
    const made = picture(svg);
    drawn.current = made;
    stage.current.replaceChildren(...(made ? [made.root] : []));
    if (made) setZoom((last) => last || fitting(frame.current, made));
  }, [svg]);

  useEffect(() => {
    const made = drawn.current;
    if (!made || !zoom) return;
    made.root.setAttribute('width', made.width * zoom);
    made.root.setAttribute('height', made.height * zoom);
  }, [svg, zoom]);

  useEffect(() => {
    if (drawn.current) paint(drawn.current, marks);
  }, [svg, marks]);

  useEffect(() => {
    const made = drawn.current;
    if (!made) return;
    for (const each of made.root.querySelectorAll('.picked')) each.classList.remove('picked');
    const found = picked && made.nodes.get(picked);
    if (!found) return;
    found.classList.add('picked');
    reveal(frame.current, found);
  }, [svg, picked, zoom === null]);

  const change = (factor, at) => zoomTo(Math.min(MOST, Math.max(LEAST, (zoom || 1) * factor)), at);
  const zoomTo = (wanted, at) => {
    const own = frame.current;
    const x = at ? at.x : own.clientWidth / 2;
    const y = at ? at.y : own.clientHeight / 2;
    const factor = wanted / (zoom || 1);
    const left = (own.scrollLeft + x) * factor - x;
    const top = (own.scrollTop + y) * factor - y;
    setZoom(wanted);
    requestAnimationFrame(() => own.scrollTo(left, top));
  };
  const fit = () => {
    if (drawn.current) zoomTo(fitting(frame.current, drawn.current, true));
  };
  const keys = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const act = { '+': () => change(STEP), '=': () => change(STEP), '-': () => change(1 / STEP), 0: () => zoomTo(1), f: fit }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  };

  // A wheel listener that may prevent the page's own zoom cannot be a passive one, so it is not preact's.
  const wheel = useRef(null);
  wheel.current = (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const box = frame.current.getBoundingClientRect();
    change(Math.exp(-event.deltaY / 300), { x: event.clientX - box.left, y: event.clientY - box.top });
  };
  useEffect(() => {
    const own = frame.current;
    const turned = (event) => wheel.current(event);
    own.addEventListener('wheel', turned, { passive: false });
    return () => own.removeEventListener('wheel', turned);
  }, []);

  const drag = useRef(null);
  const down = (event) => {
    if (event.button || event.pointerType === 'touch') return;
    drag.current = { x: event.clientX, y: event.clientY, left: frame.current.scrollLeft, top: frame.current.scrollTop, far: false };
  };
  const move = (event) => {
    const from = drag.current;
    if (!from || !event.buttons) return;
    const dx = event.clientX - from.x;
    const dy = event.clientY - from.y;
    if (Math.abs(dx) + Math.abs(dy) > 4) from.far = true;
    if (from.far) frame.current.scrollTo(from.left - dx, from.top - dy);
  };
  const click = (event) => {
    const far = drag.current && drag.current.far;
    drag.current = null;
    const node = !far && event.target.closest('g.node');
    if (node && pick.current) pick.current(node.dataset.id);
  };

  return html`
    <div class="graph">
      <div class="graph-tools" role="group" aria-label=${t('graph.zoom')}>
        <button type="button" aria-label=${t('graph.closer')} title=${`${t('graph.closer')} (+)`} onClick=${() => change(STEP)}><${Icon} name="plus" /></button>
        <button type="button" aria-label=${t('graph.farther')} title=${`${t('graph.farther')} (-)`} onClick=${() => change(1 / STEP)}><${Icon} name="minus" /></button>
        <button type="button" aria-label=${t('graph.fit')} title=${`${t('graph.fit')} (f)`} onClick=${fit}><${Icon} name="fit" /></button>
        <button type="button" class="nums" aria-label=${t('graph.now', { now: `${Math.round((zoom || 1) * 100)}%` })} title=${`${t('graph.whole')} (0)`} onClick=${() => zoomTo(1)}>${Math.round((zoom || 1) * 100)}%</button>
      </div>
      <div
        class=${onPick ? 'graph-frame picks' : 'graph-frame'}
        ref=${frame}
        role="region"
        aria-label=${t('graph.region', { label })}
        tabindex="0"
        onKeyDown=${keys}
        onPointerDown=${down}
        onPointerMove=${move}
        onClick=${click}
      >
        <div class="graph-stage" ref=${stage}></div>
      </div>
    </div>
  `;
}

/** The parsed document with what is in it by id; null where it is none. Its own style sheet goes: CSP allows none. */
function picture(text) {
  const bare = (text || '').replace(/<style>[^<]*<\/style>/g, ''); // parsing it would be a violation already
  const parsed = new DOMParser().parseFromString(bare, 'image/svg+xml').documentElement;
  if (parsed.nodeName !== 'svg') return null;
  for (const each of [...parsed.querySelectorAll('style,script,foreignObject')]) each.remove();
  const root = document.importNode(parsed, true);
  const [, , width, height] = root.getAttribute('viewBox').split(' ').map(Number);
  const by = (selector, name) => {
    const found = new Map();
    for (const each of root.querySelectorAll(selector)) {
      const id = each.getAttribute(name);
      found.set(id, each);
    }
    return found;
  };
  const all = (selector, name) => {
    const found = new Map();
    for (const each of root.querySelectorAll(selector)) {
      const id = each.getAttribute(name);
      if (!found.has(id)) found.set(id, []);
      found.get(id).push(each);
    }
    return found;
  };
  return {
    root,
    width,
    height,
    nodes: by('g.node', 'data-id'),
    labels: by('g.label[data-id]', 'data-id'),
    lines: all('path[data-edge]', 'data-edge'),
    shared: all('path[data-way]:not([data-edge])', 'data-way'),
  };
}

/** As wide as the frame, but no larger than drawn; `whole`: as high as it, too. */
function fitting(frame, made, whole = false) {
  const wide = (frame.clientWidth - 2) / made.width;
  const high = (frame.clientHeight - TOOLS - 2) / made.height;
  return Math.max(whole ? LEAST : 0.45, Math.min(1, wide, whole ? high : 1));
}

function paint(made, marks) {
  made.root.classList.toggle('marked', Boolean(marks));
  for (const each of made.root.querySelectorAll('.badge')) each.remove();
  const nodes = (marks && marks.nodes) || {};
  const edges = (marks && marks.edges) || {};
  for (const [id, node] of made.nodes) {
    const mark = nodes[id];
    node.dataset.tone = mark ? (STATUS[mark.status] || ['dot', 'off'])[1] : '';
    if (mark) node.append(badge(node.querySelector('rect'), mark));
  }
  const ways = new Set();
  for (const [id, label] of made.labels) {
    const taken = Boolean(edges[id]);
    label.classList.toggle('taken', taken);
    for (const line of made.lines.get(id) || []) {
      line.classList.toggle('taken', taken);
      if (taken) ways.add(line.dataset.way);
    }
  }
  for (const [way, lines] of made.shared) for (const line of lines) line.classList.toggle('taken', ways.has(way));
}

/** The status of a node at its corner: an icon, and how often where it was more than once. */
function badge(rect, { status, count = 1 }) {
  const [icon, tone] = STATUS[status] || ['dot', 'off'];
  const text = count > 1 ? String(count) : '';
  const wide = 18 + (text ? 7 * text.length + 3 : 0);
  const x = Number(rect.getAttribute('x')) + Number(rect.getAttribute('width')) - wide + 6;
  const y = Number(rect.getAttribute('y')) - 7;
  const group = make('g', { class: `badge ${tone}`, transform: `translate(${x},${y})` });
  group.append(make('rect', { width: wide, height: 18, rx: 9 }), make('path', { d: iconPath(icon), transform: 'translate(3,3) scale(.75)' }));
  if (text) {
    const label = make('text', { x: 17, y: 13, 'text-anchor': 'start' });
    label.textContent = text;
    group.append(label);
  }
  return group;
}

function make(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

function reveal(frame, node) {
  const outer = frame.getBoundingClientRect();
  const inner = node.getBoundingClientRect();
  const outside = inner.left < outer.left || inner.right > outer.right || inner.top < outer.top || inner.bottom > outer.bottom;
  if (!outside) return;
  frame.scrollBy({
    left: inner.left + inner.width / 2 - outer.left - outer.width / 2,
    top: inner.top + inner.height / 2 - outer.top - outer.height / 2,
  });
}
