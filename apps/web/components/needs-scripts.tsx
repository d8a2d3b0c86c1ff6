import { messagesFor } from '#src/messages.ts';
import { Callout } from './ui/panel.tsx';

/** Tells people whose browser runs no scripts why nothing comes (decisions: Dashboard). */
export async function NeedsScripts() {
  const t = await messagesFor('shell');
  return (
    <noscript>
      <div className="mb-4">
        <Callout tone="warn" title={t('needsScripts')}>
          {t('needsScriptsLead')}
        </Callout>
      </div>
    </noscript>
  );
}
