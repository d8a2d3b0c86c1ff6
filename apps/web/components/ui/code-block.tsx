import { CopyButton } from './copy-button.tsx';

/** A block of text with a copy button. Long lines wrap on the screen, but not in the copy. */
export function CodeBlock({ label, text, copy }: { label: string; text: string; copy?: string }) {
  return (
    <figure className="border-line bg-canvas min-w-0 rounded-md border">
      <figcaption className="border-line flex min-h-9 items-center justify-between gap-2 border-b py-1 pr-1 pl-3 text-xs font-medium">
        <span className="min-w-0 wrap-anywhere">{label}</span>
        {copy === undefined ? null : <CopyButton text={text} label={copy} />}
      </figcaption>
      <pre className="p-3 font-mono text-xs leading-relaxed wrap-anywhere whitespace-pre-wrap">{text}</pre>
    </figure>
  );
}
