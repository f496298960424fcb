import { useTitle } from '../../ui/use-title.ts';

/** The heading of a page, and the name of its tab. */
export function PageTitle({ title }: { readonly title: string }) {
  useTitle(title, 'Tideline dashboard');
  return <h1>{title}</h1>;
}
