import type { Metadata } from 'next';
import Link from 'next/link';
import { TopBar } from '../components/top-bar.tsx';
import { buttonClass } from '../components/ui/button.tsx';
import { PageHeader } from '../components/ui/panel.tsx';
import { currentSession } from '../src/pages.ts';

export const metadata: Metadata = { title: 'Not found' };

export default async function NotFound() {
  return (
    <>
      <TopBar session={await currentSession()} />
      <main id="content" className="mx-auto w-full max-w-3xl px-4 py-16">
        <PageHeader title="There is nothing here">
          The page does not exist, or it belongs to a guild that is not yours.
        </PageHeader>
        <Link href="/" className={buttonClass('primary')}>
          Go to your guilds
        </Link>
      </main>
    </>
  );
}
