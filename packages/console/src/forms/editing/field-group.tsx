import type { ReactNode } from 'react';
import { Section } from '../../ui/page.tsx';

/** Fields under a heading. */
export function FieldGroup({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Section title={title}>
      <div className="flex flex-col gap-3">{children}</div>
    </Section>
  );
}

/** The groups of a form, in two columns where there's room. */
export function FieldGroups({ children }: { readonly children: ReactNode }) {
  return <div className="grid items-start gap-4 lg:grid-cols-2">{children}</div>;
}
