import { PageSkeleton } from '#components/ui/skeleton.tsx';

/** The shape of a page while it is made. */
export default function Loading() {
  return <PageSkeleton />;
}
