'use client';

import { clsx } from 'clsx';
import { useRef, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { CallFailure } from '#components/call-api.ts';
import { Failure } from '#components/ui/failure.tsx';
import { FileButton } from '#components/ui/file-button.tsx';
import { useApi } from '#components/use-call.ts';
import { useLook } from '#components/use-look.ts';
import { useRefresh } from '#components/use-refresh.ts';

/** As long as a name may be (FileName in dashboard-api/evidence-upload.ts); its end says what kind of file it is. */
const MOST_NAME = 255;

/** Where files are dropped or chosen for a case. They are sent one after the other, and each that fails is named. */
export function AttachEvidence({
  guildId,
  caseId,
  mostMegabytes,
}: {
  guildId: string;
  caseId: string;
  mostMegabytes: number;
}) {
  const t = useTranslations('cases');
  const api = useApi();
  const look = useLook(guildId);
  const refresh = useRefresh();
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setIsOver] = useState(false);
  const [sending, setSending] = useState<string | null>(null);
  const [done, setDone] = useState<readonly string[]>([]);
  const [failures, setFailures] = useState<readonly CallFailure[]>([]);
  const megabytes = String(mostMegabytes);

  const send = async (file: File, name: string): Promise<CallFailure | null> => {
    if (file.size > mostMegabytes * 1024 * 1024)
      return new CallFailure(t('attach.tooLarge', { name, megabytes }));
    if (file.size === 0) return new CallFailure(t('attach.empty', { name }));
    const query = new URLSearchParams({ name });
    const answer = await api('POST', `/api/guilds/${guildId}/cases/${caseId}/evidence?${query}`, file);
    if (!(answer instanceof CallFailure)) return null;
    return answer.unreachable ? new CallFailure(t('attach.notSent', { name })) : answer;
  };
  const sendAll = async (files: readonly File[]) => {
    if (sending !== null || files.length === 0) return;
    setDone([]);
    setFailures([]);
    for (const file of files) {
      const name = file.name.slice(-MOST_NAME).toWellFormed();
      setSending(name);
      const failure = await send(file, name);
      if (failure === null) setDone((before) => [...before, name]);
      else setFailures((before) => [...before, failure]);
      if (failure?.signedOut) break;
    }
    setSending(null);
    if (input.current !== null) input.current.value = '';
    if ((await look()) !== null) refresh();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button inside does the same without a mouse
    <div
      className={clsx(
        'mt-3 grid min-w-0 gap-2 rounded-lg border border-dashed p-3',
        isOver ? 'border-accent bg-raised' : 'border-line-strong',
      )}
      onDragOver={(event) => {
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setIsOver(false);
        void sendAll([...event.dataTransfer.files]);
      }}
    >
      <FileButton
        ref={input}
        multiple
        disabled={sending !== null}
        onChange={({ target }) => void sendAll([...(target.files ?? [])])}
      >
        {t('attach.label')}
      </FileButton>
      <p className="text-ink-soft text-xs">{t('attach.drop', { megabytes })}</p>
      {/* Always there, because a screen reader does not read what comes together with its region. */}
      <div role="status" className="grid gap-1 wrap-anywhere empty:absolute">
        {done.map((name, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two files may have one name, and none moves
          <p key={index}>{t('attach.done', { name })}</p>
        ))}
        {sending === null ? null : <p>{t('attach.sending', { name: sending })}</p>}
      </div>
      {failures.map((failure, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are only added
        <Failure key={index} failure={failure} />
      ))}
    </div>
  );
}
