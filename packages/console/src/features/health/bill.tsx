import { sbomOperations } from '@arbiter/contract/operations/sbom';
import { useState } from 'react';
import { can } from '../../data/can.ts';
import { useOperation } from '../../data/use-operation.ts';
import { Loaded } from '../../forms/loaded.tsx';
import { healthTexts as t } from '../../messages/health.ts';
import { idTexts } from '../../messages/ui.ts';
import { Button } from '../../ui/button.tsx';
import { Id } from '../../ui/copy.tsx';
import { Facts } from '../../ui/facts.tsx';
import { useLinks } from '../../ui/link.tsx';
import { Section } from '../../ui/page.tsx';
import { useFormat } from '../../ui/provider.tsx';

/** The server's bill of materials. Loaded on demand, because it's long. */
export function Bill() {
  const format = useFormat();
  const links = useLinks();
  const permission = can(sbomOperations.get);
  const [isWanted, setWanted] = useState(false);
  const bill = useOperation(sbomOperations.get, {}, { enabled: permission.allowed && isWanted });
  return (
    <Section title={t.bill}>
      {permission.allowed ? (
        <div className="flex flex-col gap-3">
          <p className="text-dense text-soft">{t.billLead}</p>
          {isWanted ? (
            <Loaded answer={bill} operation={sbomOperations.get}>
              {({ components, digest }) => (
                <Facts
                  narrow
                  facts={[
                    { label: t.billParts, value: format.number(components) },
                    { label: t.billDigest, value: <Id id={digest} what={idTexts.digest} whole /> },
                  ]}
                />
              )}
            </Loaded>
          ) : null}
          <div className="flex flex-wrap items-center gap-3">
            {isWanted ? null : <Button onClick={() => setWanted(true)}>{t.billRead}</Button>}
            <a
              className="text-accent-ink underline underline-offset-3"
              href={links.href(sbomOperations.get.path)}
              download="arbiter-sbom.json"
            >
              {t.billDownload}
            </a>
          </div>
        </div>
      ) : (
        <p className="text-soft">{t.billHidden}</p>
      )}
    </Section>
  );
}
