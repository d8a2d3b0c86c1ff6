import type { View } from '../src/page/wire.ts';
import { showChannels } from './channels.ts';
import { go, onEnd, onView, opened, refresh, view, watch } from './client.ts';
import { openModal } from './components.ts';
import { showComposer } from './composer.ts';
import { setDrawer, showTop } from './identity.ts';
import { nameIn } from './markdown.ts';
import { showMembers } from './members.ts';
import { showExpired, showMessages } from './messages.ts';
import { failed, notify } from './overlays.ts';
import { showPanel } from './panels.ts';
import { showTry } from './steps.ts';

const PARTS: readonly ((seen: View) => void)[] = [
  showTop,
  showChannels,
  showTry,
  showMessages,
  showPanel,
  showComposer,
  showMembers,
];

onView((seen) => {
  for (const show of PARTS) show(seen);
});
onEnd((end) => {
  const seen = view();
  if (seen === null) return;
  if (end === 'expired') showExpired(seen);
  else openModal(end.id, end.modal, seen, nameIn(seen));
});
let wasAway = false;
watch((isAway) => {
  if (isAway) notify('The sandbox does not answer. The page tries again by itself.');
  else if (wasAway) notify(null);
  wasAway = isAway;
});

// Links of the page change the view without loading it again; with a key pressed they do what links do.
document.addEventListener('click', (event) => {
  const link = event.target instanceof Element ? event.target.closest<HTMLElement>('a[data-go]') : null;
  if (link === null || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
  event.preventDefault();
  if (document.body.dataset.drawer !== undefined) setDrawer(null);
  go(JSON.parse(link.dataset.go ?? '{}')).catch(failed);
});
document.addEventListener('keydown', (event) => {
  const isOpen = document.body.dataset.drawer !== undefined;
  if (event.key === 'Escape' && isOpen && document.querySelector('dialog[open], [popover]') === null)
    setDrawer(null);
});
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible') refresh().catch(failed);
});
addEventListener('popstate', () => {
  opened().catch(failed);
});
