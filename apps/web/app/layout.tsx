import type { Metadata } from 'next';
import { type ReactNode, Suspense } from 'react';
import { EarlyInputHeard } from '#components/early-input-heard.tsx';
import { FollowLinks } from '#components/follow-links.tsx';
import { Messages } from '#components/messages.tsx';
import { NavigationProgress } from '#components/navigation-progress.tsx';
import { Times } from '#components/ui/relative-time.tsx';
import { Toasts } from '#components/ui/toast.tsx';
import { EARLY_INPUT_SCRIPT } from '#src/early-input-script.ts';
import { currentLocale, messagesFor } from '#src/messages.ts';
import { currentTheme, hasExactTimes, scriptNonce } from '#src/pages.ts';
import { runtime } from '#src/runtime.ts';
import './globals.css';
// Next gives pages, error pages and the page of what is not found a script each. What the frame around them imports is
// left out of their scripts, so what most of them need is imported here.
import '#components/top-bar.tsx';
import '#components/ui/error-state.tsx';

export async function generateMetadata(): Promise<Metadata> {
  const t = await messagesFor('shell');
  return {
    title: { template: '%s · Bailiff', default: 'Bailiff' },
    description: t('description'),
    robots: { index: false },
  };
}

export default async function RootLayout({ children }: { children: ReactNode }) {
  const t = await messagesFor('ui');
  return (
    <html
      lang={await currentLocale()}
      data-theme={(await currentTheme()) ?? undefined}
      data-build={runtime().build}
    >
      <body>
        {/* biome-ignore lint/security/noDangerouslySetInnerHtml: it is our own code, and must run before all other */}
        <script nonce={await scriptNonce()} dangerouslySetInnerHTML={{ __html: EARLY_INPUT_SCRIPT }} />
        <a
          href="#content"
          className="bg-accent-solid absolute top-2 left-2 z-50 -translate-y-20 rounded-md px-3 py-2 text-white focus:translate-y-0"
        >
          {t('skipToContent')}
        </a>
        <Messages>
          <Times exact={await hasExactTimes()}>{children}</Times>
          <Toasts />
          <Suspense fallback={null}>
            <NavigationProgress />
          </Suspense>
        </Messages>
        <FollowLinks />
        <EarlyInputHeard />
      </body>
    </html>
  );
}
