import type { ReactNode } from 'react';
import { Link } from '#components/ui/link.tsx';
import type { Inline } from '#src/documents/inlines.ts';
import { hrefOf, pictureIn } from '#src/documents/links.ts';

interface Props {
  inlines: readonly Inline[];
  /** The file of the document, from which its links go. */
  path: string;
}

/** A text of a document. */
export function Inlines({ inlines, path }: Props): ReactNode {
  // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never change their places
  return inlines.map((inline, index) => <Part key={index} inline={inline} path={path} />);
}

function Part({ inline, path }: { inline: Inline; path: string }): ReactNode {
  if (typeof inline === 'string') return inline;
  switch (inline.type) {
    case 'code':
      return (
        <code className="bg-raised rounded px-1 py-px font-mono text-[0.88em] wrap-anywhere">
          {inline.text}
        </code>
      );
    case 'strong':
      return (
        <strong className="font-semibold">
          <Inlines inlines={inline.children} path={path} />
        </strong>
      );
    case 'emphasis':
      return (
        <em>
          <Inlines inlines={inline.children} path={path} />
        </em>
      );
    case 'picture':
      return <DocumentPicture target={inline.target} alt={inline.alt} path={path} />;
    case 'link':
      return (
        <DocumentLink href={hrefOf(inline.target, path)}>
          <Inlines inlines={inline.children} path={path} />
        </DocumentLink>
      );
  }
}

const LINK = 'text-accent wrap-anywhere underline';

/** A link of a document. What only the repository has is named and not linked. */
function DocumentLink({ href, children }: { href: string | null; children: ReactNode }) {
  if (href === null) return <span>{children}</span>;
  if (href.startsWith('/docs'))
    return (
      <Link href={href} className={LINK}>
        {children}
      </Link>
    );
  return (
    <a href={href} className={LINK}>
      {children}
    </a>
  );
}

/** A picture of a document; it leads to the same in its full size. */
function DocumentPicture({ target, alt, path }: { target: string; alt: string; path: string }) {
  const { src, width, height } = pictureIn(target, path);
  return (
    <a href={src} className="border-line my-2 block overflow-hidden rounded-lg border">
      {/* biome-ignore lint/performance/noImgElement: it is compressed already, and needs no script */}
      <img src={src} alt={alt} width={width} height={height} loading="lazy" className="h-auto w-full" />
    </a>
  );
}
