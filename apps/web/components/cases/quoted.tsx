import { Written } from '#components/ui/written.tsx';

/** What a person wrote, as a quotation, or what is said where there is nothing. */
export function Quoted({ text, none }: { text: string | null; none: string }) {
  if (text === null) return <p>{none}</p>;
  return (
    <blockquote className="border-line-strong text-ink mt-1 border-l-2 pl-3 whitespace-pre-wrap">
      <Written text={text} />
    </blockquote>
  );
}
