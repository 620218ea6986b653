// Light or dark: as the system says, or as was chosen here.
const LOOK = 'loopstep.look';

export const LOOKS = ['auto', 'light', 'dark'];

export function look() {
  const kept = localStorage.getItem(LOOK);
  return LOOKS.includes(kept) ? kept : 'auto';
}

export function setLook(wanted) {
  localStorage.setItem(LOOK, wanted);
  applyLook();
}

export function applyLook() {
  const wanted = look();
  if (wanted === 'auto') delete document.documentElement.dataset.look;
  else document.documentElement.dataset.look = wanted;
}
