import type { Role } from '@arbiter/contract/operation';
import { boot, roleOf } from '../data/boot.ts';
import { rightsTexts as t } from '../messages/lists/lists.ts';
import { addresses } from '../route/addresses.ts';
import { ButtonLink } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';

/** Stands in place of a page that the person's role may not read: what it is, whose it is, and where to go on. */
export function NeedsRole({ title, needs }: { readonly title: string; readonly needs: Role }) {
  return (
    <Empty title={title} actions={<ButtonLink to={addresses.home()}>{t.home}</ButtonLink>}>
      {t.ask(roleOf(boot()) ?? '', needs)}
    </Empty>
  );
}
