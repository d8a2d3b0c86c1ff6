import { Link } from '#components/ui/link.tsx';
import { GUIDE_TOPICS, type GuideTopic } from '#src/documents/guide-topics.ts';
import { messagesFor } from '#src/messages.ts';

/** A link to the section of a guide that answers what people ask themselves here. */
export async function GuideLink({ topic }: { topic: GuideTopic }) {
  const t = await messagesFor('docs');
  return (
    <Link href={GUIDE_TOPICS[topic]} className="text-accent underline">
      {t(`topics.${topic}`)}
    </Link>
  );
}
