import type { ReactNode } from 'react';
import { KeptPage } from './kept-page.tsx';

/** What Next gives to a page or a layout. */
interface PageProps {
  readonly params: Promise<object>;
  readonly searchParams?: Promise<object>;
}

/** A page, or a layout, that stays as it is where it cannot be brought up to date: `export default kept(CasePage)`. */
export function kept<Props extends PageProps>(Page: (props: Props) => Promise<ReactNode>) {
  return async function Kept(props: Props) {
    const of = JSON.stringify([await props.params, await props.searchParams]);
    const at = new Date().toISOString(); // before it reads anything
    // A page that does not exist says nothing about itself, not even when.
    const page = Page(props).then((content) => ({ at, content }));
    page.catch(() => {}); // whoever shows it is told
    return <KeptPage of={of} page={page} />;
  };
}
