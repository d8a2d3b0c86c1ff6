import { Fragment } from 'react';
import { CopyButton } from '../../../components/ui/copy-button.tsx';

/** Text to copy. It wraps, so that nothing hides beyond the edge; what is copied does not. */
export function CodeBlock({ label, text, copy }: { label: string; text: string; copy?: string }) {
  return (
    <figure className="border-line bg-canvas min-w-0 rounded-md border">
      <figcaption className="border-line flex min-h-9 items-center justify-between gap-2 border-b py-1 pr-1 pl-3 text-xs font-medium">
        {label}
        {copy === undefined ? null : <CopyButton text={text} label={copy} />}
      </figcaption>
      <pre className="p-3 font-mono text-xs leading-relaxed wrap-anywhere whitespace-pre-wrap">{text}</pre>
    </figure>
  );
}

/** A word as it is on the wire. */
export function Wire({ children }: { children: string }) {
  return <code className="font-mono text-[0.92em] wrap-anywhere">{children}</code>;
}

/** A long name of a table's first column: where there is no room it breaks between its words only. */
export function BreakingName({ name }: { name: string }) {
  const words = name.split(/(?<=[a-z]_)/i);
  return (
    <code className="font-mono text-xs">
      {words.map((word, index) => (
        <Fragment key={words.slice(0, index + 1).join('')}>
          {index === 0 ? null : <wbr />}
          {word}
        </Fragment>
      ))}
    </code>
  );
}
