// Icons, drawn here: 16 by 16, in the colour of the text. They say nothing by themselves; a word stands beside them.
import { html } from '../lib.js';

const PATHS = {
  brand: 'M4 2v7.5A2.5 2.5 0 0 0 6.500 12H12 M8 4h2a2 2 0 0 1 0 4H8 M12 10v4',
  check: 'M3 8.500l3.200 3.200L13 4.800',
  cross: 'M4 4l8 8M12 4l-8 8',
  clock: 'M8 2.200a5.800 5.800 0 1 0 .01 0M8 4.800V8l2.300 1.500',
  play: 'M5 3.500v9l7-4.500z',
  run: 'M13.500 8A5.500 5.500 0 1 1 8 2.500',
  stop: 'M3 3l10 10M8 2.200a5.800 5.800 0 1 0 .01 0',
  pause: 'M5.500 3.500v9M10.500 3.500v9',
  hourglass: 'M4 2.500h8M4 13.500h8M5 2.500c0 3 2 4 3 5.500-1 1.500-3 2.500-3 5.500M11 2.500c0 3-2 4-3 5.500 1 1.500 3 2.500 3 5.500',
  dot: 'M8 5.500a2.500 2.500 0 1 0 .01 0',
  circle: 'M8 2.800a5.200 5.200 0 1 0 .01 0',
  plus: 'M8 3v10M3 8h10',
  minus: 'M3 8h10',
  search: 'M7 2.500a4.500 4.500 0 1 0 .01 0M10.300 10.300l3.400 3.400',
  copy: 'M5.500 5.500h7.500v8h-7.500zM3 10.500v-8h7.500',
  warning: 'M8 2.200L14.500 13.500h-13zM8 6.500v3.500M8 11.800v.2',
  info: 'M8 2.200a5.800 5.800 0 1 0 .01 0M8 7v4M8 4.800v.2',
  fit: 'M2.500 6V2.500H6M10 2.500h3.500V6M13.500 10v3.500H10M6 13.500H2.500V10',
  left: 'M10 3L5 8l5 5',
  right: 'M6 3l5 5-5 5',
  down: 'M3 6l5 5 5-5',
  up: 'M3 10l5-5 5 5',
  redo: 'M12.500 3v3.500H9M12.300 6.300A5 5 0 1 0 13 9',
  person: 'M8 2.500a2.600 2.600 0 1 0 .01 0M3 13.500c.5-3 2.500-4.500 5-4.500s4.500 1.500 5 4.500',
};

/** The outline alone, for what is drawn elsewhere. */
export const iconPath = (name) => PATHS[name];

export function Icon({ name, size = 16, spins = false }) {
  return html`
    <svg class=${spins ? 'icon spins' : 'icon'} width=${size} height=${size} viewBox="0 0 16 16" aria-hidden="true">
      <path d=${PATHS[name]} />
    </svg>
  `;
}
