import { PageSkeleton } from '#components/ui/skeleton.tsx';

/** A placeholder while a page loads. */
export default function Loading() {
  return <PageSkeleton />;
}
