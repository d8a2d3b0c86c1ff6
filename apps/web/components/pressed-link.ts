/** The link that a press follows in this tab; null if it leads nowhere, to another site, to another tab or to a file. */
export function pressedLink(event: MouseEvent): HTMLAnchorElement | null {
  const { button, ctrlKey, metaKey, shiftKey, altKey, target } = event;
  if (button !== 0 || ctrlKey || metaKey || shiftKey || altKey || !(target instanceof Element)) return null;
  const link = target.closest<HTMLAnchorElement>('a[href]');
  if (link === null || link.target === '_blank' || link.hasAttribute('download')) return null;
  return link.origin === location.origin ? link : null;
}

/** Leads to a page as a press on a link to it does: what is not saved is asked about (settings/leave-guard.tsx). */
export function pressLinkTo(href: string): void {
  const link = document.createElement('a');
  link.href = href;
  link.dataset.follow = '';
  document.body.append(link);
  link.click();
  link.remove();
}
