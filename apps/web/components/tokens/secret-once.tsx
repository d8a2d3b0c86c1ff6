'use client';

import { useTranslations } from 'use-intl/react';
import { Button } from '#components/ui/button.tsx';
import { CodeBlock } from '#components/ui/code-block.tsx';
import { Callout } from '#components/ui/panel.tsx';
import { Tabs } from '#components/ui/tabs-panel.tsx';
import { type McpInstance, mcpSnippets } from '#src/mcp-clients.ts';

/** A secret, which is shown only once, with commands that use it. */
export function SecretOnce({
  secret,
  instance,
  onStored,
}: {
  secret: string;
  instance: McpInstance;
  onStored: () => void;
}) {
  const t = useTranslations('tokens');
  // Shells keep what is typed, but not what `read` reads.
  const read = 'read -rs BAILIFF_TOKEN';
  const curl = `curl -H "Authorization: Bearer $BAILIFF_TOKEN" ${instance.publicUrl}/api/public/v1/me`;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <Callout tone="warn" title={t('onceTitle')}>
        {t('onceText')}
      </Callout>
      <CodeBlock label={t('secret')} text={secret} copy={t('copySecret')} />
      <Tabs
        label={t('use')}
        items={[
          {
            value: 'curl',
            label: t('curl'),
            content: (
              <div className="grid gap-2">
                <CodeBlock label={t('firstTerminal')} text={read} copy={t('copyLine')} />
                <CodeBlock label={t('thenTerminal')} text={curl} copy={t('copyLine')} />
              </div>
            ),
          },
          ...mcpSnippets(instance, secret).map(({ client, file, text }) => ({
            value: client,
            label: client,
            content: (
              <CodeBlock
                label={file === null ? t('intoTerminal') : t('intoFile', { file })}
                text={text}
                copy={file === null ? t('copyLine') : t('copyConfiguration')}
              />
            ),
          })),
        ]}
      />
      <div className="flex justify-end">
        <Button variant="primary" onClick={onStored}>
          {t('stored')}
        </Button>
      </div>
    </div>
  );
}
