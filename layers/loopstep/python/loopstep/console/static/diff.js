// The lines in which two texts differ: Myers' algorithm between what both begin and end with.

const MOST = 4000; // edits; beyond, everything between is shown as replaced

/** [{sign: ' ' | '+' | '-', text, from, to}] with the line numbers, from 1, in the old and the new text (0: not there). */
export function differences(before, after) {
  const [old, young] = [before, after].map((text) => text.replace(/\n$/, '').split('\n'));
  let start = 0;
  while (start < old.length && start < young.length && old[start] === young[start]) start += 1;
  let end = 0;
  while (end < old.length - start && end < young.length - start && old[old.length - 1 - end] === young[young.length - 1 - end]) end += 1;
  const made = [];
  const keep = (from, to) => made.push({ sign: ' ', text: old[from], from: from + 1, to: to + 1 });
  for (let line = 0; line < start; line += 1) keep(line, line);
  let [from, to] = [start, start];
  for (const sign of edits(old.slice(start, old.length - end), young.slice(start, young.length - end))) {
    if (sign === ' ') keep(from++, to++);
    else if (sign === '-') made.push({ sign, text: old[from], from: ++from, to: 0 });
    else made.push({ sign, text: young[to], from: 0, to: ++to });
  }
  for (let line = 0; line < end; line += 1) keep(from + line, to + line);
  return made;
}

/** The shortest way from one list to the other: ' ' keeps a line, '-' leaves one out, '+' puts one in. */
function edits(old, young) {
  const trace = [];
  let ends = new Map([[1, 0]]);
  for (let depth = 0; depth <= Math.min(old.length + young.length, MOST); depth += 1) {
    const next = new Map(ends);
    trace.push(ends);
    for (let k = -depth; k <= depth; k += 2) {
      const down = k === -depth || (k !== depth && (ends.get(k - 1) ?? -1) < (ends.get(k + 1) ?? -1));
      let x = down ? ends.get(k + 1) ?? 0 : ends.get(k - 1) + 1;
      let y = x - k;
      while (x < old.length && y < young.length && old[x] === young[y]) [x, y] = [x + 1, y + 1];
      next.set(k, x);
      if (x >= old.length && y >= young.length) return walked(trace, old.length, young.length);
    }
    ends = next;
  }
  return [...old.map(() => '-'), ...young.map(() => '+')];
}

function walked(trace, x, y) {
  const signs = [];
  for (let depth = trace.length - 1; depth >= 0; depth -= 1) {
    const ends = trace[depth];
    const k = x - y;
    const down = k === -depth || (k !== depth && (ends.get(k - 1) ?? -1) < (ends.get(k + 1) ?? -1));
    const before = down ? k + 1 : k - 1;
    const fromX = depth ? ends.get(before) ?? 0 : 0;
    const fromY = depth ? fromX - before : 0;
    while (x > fromX && y > fromY && (x > fromX + (depth && !down ? 1 : 0)) && (y > fromY + (depth && down ? 1 : 0))) {
      signs.push(' ');
      [x, y] = [x - 1, y - 1];
    }
    if (depth) signs.push(down ? '+' : '-');
    [x, y] = [fromX, fromY];
  }
  return signs.reverse();
}

/** The same in pieces: changed lines with `around` lines of what stays, and {hidden: [lines]} for the rest. */
export function folded(lines, around = 3) {
  const near = new Set();
  lines.forEach((line, index) => {
    if (line.sign !== ' ') for (let at = index - around; at <= index + around; at += 1) near.add(at);
  });
  const pieces = [];
  lines.forEach((line, index) => {
    const last = pieces[pieces.length - 1];
    if (near.has(index)) pieces.push(line);
    else if (last && last.hidden) last.hidden.push(line);
    else pieces.push({ hidden: [line] });
  });
  return pieces;
}
