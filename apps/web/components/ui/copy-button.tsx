'use client';

import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { Button } from './button.tsx';

/** A button that copies a text and confirms it. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const t = useTranslations('ui');
  const [said, setSaid] = useState<'copied' | 'failed' | null>(null);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setSaid('copied');
    } catch {
      setSaid('failed');
    }
  };
  return (
    <Button size="small" onClick={() => void copy()}>
      {said === 'copied' ? <Check aria-hidden size={14} /> : <Copy aria-hidden size={14} />}
      <span aria-live="polite">
        {said === 'copied' ? t('copied') : said === 'failed' ? t('copyByHand') : label}
      </span>
    </Button>
  );
}
