import { Download, Filter, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { AsOf } from '../src/ui/as-of.tsx';
import { Badge } from '../src/ui/badge.tsx';
import { Button, ButtonLink } from '../src/ui/button.tsx';
import { Copy, Id } from '../src/ui/copy.tsx';
import { Empty } from '../src/ui/empty.tsx';
import { CheckField, SelectField, TextAreaField, TextField } from '../src/ui/field.tsx';
import { Metric } from '../src/ui/metric.tsx';
import { ConfirmDialog } from '../src/ui/overlays/dialog.tsx';
import { Menu } from '../src/ui/overlays/menu.tsx';
import { toast } from '../src/ui/overlays/toast.tsx';
import { Page, Section } from '../src/ui/page.tsx';
import { ProblemPanel } from '../src/ui/problem.tsx';
import { Progress, Spinner } from '../src/ui/progress.tsx';
import { DataTable } from '../src/ui/table/table.tsx';
import type { Column } from '../src/ui/table/table-column.ts';
import { Tabs } from '../src/ui/tabs.tsx';

interface Offer {
  readonly id: string;
  readonly name: string;
  readonly category: string;
  readonly status: 'active' | 'draft' | 'paused';
  readonly priority: number;
  readonly selected: number;
  readonly conversion: number;
}

const offers: readonly Offer[] = Array.from({ length: 10_000 }, (_, index) => ({
  id: `0199a3f2-0000-7000-8000-${String(index).padStart(12, '0')}`,
  name:
    ['Gold Birthday Drink', 'Morning Streak', 'Oat Milk Week', 'We Miss You Latte', 'Cold Brew Season'][index % 5] +
    (index > 4 ? ` ${index}` : ''),
  category: ['Retain', 'Grow', 'Welcome'][index % 3] ?? '',
  status: (['active', 'active', 'draft', 'paused'] as const)[index % 4] ?? 'draft',
  priority: (index * 37) % 101,
  selected: (index * 7919) % 5_000,
  conversion: ((index * 13) % 300) / 1_000,
}));

const tones = { active: 'pass', draft: 'draft', paused: 'warn' } as const;
const columns: readonly Column<Offer>[] = [
  {
    key: 'name',
    header: 'Offer',
    cell: (row) => row.name,
    text: (row) => row.name,
    sortBy: (row) => row.name,
    width: 240,
    grow: 2,
  },
  {
    key: 'status',
    header: 'Status',
    cell: (row) => <Badge tone={tones[row.status]}>{row.status}</Badge>,
    text: (row) => row.status,
    width: 110,
    grow: 0,
  },
  {
    key: 'category',
    header: 'Category',
    cell: (row) => row.category,
    text: (row) => row.category,
    sortBy: (row) => row.category,
  },
  {
    key: 'priority',
    header: 'Priority',
    cell: (row) => row.priority,
    text: (row) => row.priority,
    sortBy: (row) => row.priority,
    align: 'end',
    width: 100,
    grow: 0,
  },
  {
    key: 'selected',
    header: 'Selected',
    unit: '7 d',
    cell: (row) => row.selected,
    text: (row) => row.selected,
    sortBy: (row) => row.selected,
    align: 'end',
    width: 120,
    grow: 0,
  },
  {
    key: 'conversion',
    header: 'Conversion',
    unit: '%',
    cell: (row) => (row.conversion * 100).toFixed(1),
    text: (row) => row.conversion,
    sortBy: (row) => row.conversion,
    align: 'end',
    width: 130,
    grow: 0,
  },
  { key: 'id', header: 'ID', cell: (row) => <Id id={row.id} what="offer ID" />, width: 190, grow: 0 },
];

function Tables() {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  return (
    <div className="flex flex-col gap-4">
      <DataTable
        label="Offers"
        columns={columns}
        rows={offers}
        rowKey={(row) => row.id}
        rowTo={(row) => `/offers/${row.id}`}
        complete
        total={10_000}
        empty={null}
        selection={{ selected, onChange: setSelected }}
        maxHeight="22rem"
        sorted={{ key: 'priority', descending: true }}
        foot={<AsOf at={Date.now()} />}
      />
      <div className="grid gap-4 md:grid-cols-2">
        <DataTable
          label="Creatives"
          columns={columns.slice(0, 3)}
          rows={undefined}
          rowKey={(row) => row.id}
          complete={false}
          empty={null}
        />
        <DataTable
          label="Rules"
          columns={columns.slice(0, 3)}
          rows={[]}
          rowKey={(row) => row.id}
          complete
          empty={
            <Empty
              title="No rules yet"
              actions={
                <Button kind="primary" icon={<Plus aria-hidden className="size-4" />}>
                  New rule
                </Button>
              }
            >
              A rule says whether an offer fits a customer. Without one, every offer fits everybody.
            </Empty>
          }
        />
        <DataTable
          label="Policies"
          columns={columns.slice(0, 3)}
          rows={[]}
          rowKey={(row) => row.id}
          complete
          filtered
          empty={null}
          filteredEmpty={
            <Empty title="No policy matches the filters" actions={<Button>Clear filters</Button>}>
              11 policies are hidden by status “archived”.
            </Empty>
          }
        />
        <DataTable
          label="Decisions"
          columns={columns.slice(0, 3)}
          rows={offers.slice(0, 3)}
          rowKey={(row) => row.id}
          complete={false}
          total={1_204}
          empty={null}
          onMore={() => toast({ text: 'Asked for more' })}
          partial="The first 500 of 5,310 are kept."
          error={
            <ProblemPanel
              tone="warn"
              title="The next page did not come"
              actions={<Button size="small">Try again</Button>}
            >
              The server did not answer in time. What is here is as of 12:04.
            </ProblemPanel>
          }
        />
      </div>
    </div>
  );
}

export function Parts() {
  const [asking, ask] = useState(false);
  const [tab, setTab] = useState('why');
  return (
    <Page
      title="Parts of the console"
      parents={[{ title: 'Gallery', to: '/gallery' }]}
      about={
        <>
          <Badge tone="draft">draft</Badge>
          <Id id="0199a3f2b4c57d10a2b3c4d5e6f70812" what="decision ID" to="/decisions/1" />
        </>
      }
      lead="Every part in every state, on one page, in the theme that the address names."
      actions={
        <>
          <Button icon={<Filter aria-hidden className="size-4" />}>Filter</Button>
          <Button
            disabledReason="Your role is viewer: editors and admins may publish."
            icon={<Download aria-hidden className="size-4" />}
          >
            Publish
          </Button>
          <Button
            kind="primary"
            shortcut="⌘⏎"
            onClick={() => toast({ text: 'Saved as draft', action: { label: 'Undo', run: () => undefined } })}
          >
            Save
          </Button>
        </>
      }
    >
      <Section title="Buttons and badges">
        <div className="flex flex-wrap items-center gap-2">
          <Button kind="primary">Primary</Button>
          <Button>Plain</Button>
          <Button kind="quiet">Quiet</Button>
          <Button kind="danger" icon={<Trash2 aria-hidden className="size-4" />} onClick={() => ask(true)}>
            Erase
          </Button>
          <Button busy>Saving</Button>
          <Button size="small">Small</Button>
          <ButtonLink to="/x">Link</ButtonLink>
          <Copy text="curl" what="command" labelled />
          <Menu
            trigger={<Button>More</Button>}
            items={[
              { heading: 'Decision' },
              { label: 'Open', act: { to: '/d' }, shortcut: '⏎' },
              { label: 'Replay', act: () => undefined },
              'line',
              { label: 'Delete', danger: true, disabledReason: 'Only admins delete.', act: () => undefined },
            ]}
          />
        </div>
        <div className="mt-3 flex flex-wrap items-center gap-2">
          <Badge tone="pass">went through</Badge>
          <Badge tone="block">dropped</Badge>
          <Badge tone="warn">look here</Badge>
          <Badge tone="info">sampled 25 %</Badge>
          <Badge tone="draft">draft</Badge>
          <Badge tone="neutral">archived</Badge>
          <Spinner label="Counting" />
          <div className="w-40">
            <Progress share={0.68} label="Import" />
          </div>
          <AsOf at={Date.now() - 200_000} stale />
        </div>
        <div className="mt-4 grid grid-cols-2 gap-4 md:grid-cols-4">
          <Metric
            label="Decisions, last 24 h"
            value="1,204"
            drill={{ to: '/decisions?from=x' }}
            note="+8 % to the day before"
          />
          <Metric label="p95" value="6.1" unit="ms" drill={{ reason: 'aggregate without traces' }} />
          <Metric label="Errors" value="3" tone="block" drill={{ to: '/decisions?error' }} size="small" />
        </div>
      </Section>
      <Section title="Fields">
        <div className="grid gap-4 md:grid-cols-3">
          <TextField label="Name" defaultValue="Three a day" help="What people call it." />
          <TextField label="Cooldown" unit="hours" type="number" defaultValue={24} error="Must be at most 8,760." />
          <SelectField
            label="Channel"
            optional
            placeholder="Any channel"
            options={[
              { value: 'email', label: 'Email' },
              { value: 'push', label: 'Push' },
            ]}
          />
          <TextAreaField label="Notes" optional />
          <CheckField label="May be overridden" help="A policy of type allow_override can lift it." defaultChecked />
        </div>
      </Section>
      <Section title="Problems">
        <div className="flex flex-col gap-3">
          <ProblemPanel
            title="The offer was not saved"
            requestId="req_01J9"
            details={[{ label: 'Priority', message: 'must be at most 100', to: '#x' }]}
            actions={<Button size="small">Try again</Button>}
          >
            Two of its fields were refused.
          </ProblemPanel>
          <ProblemPanel tone="warn" title="Retention removed the inputs">
            What is left: the trace and the result.
          </ProblemPanel>
        </div>
      </Section>
      <Tabs
        label="Parts of the decision"
        value={tab}
        onChange={setTab}
        tabs={[
          { key: 'why', label: 'Why', content: 'Because.' },
          { key: 'trace', label: 'Trace', count: 12, content: 'Steps.' },
        ]}
      />
      <Tables />
      <ConfirmDialog
        open={asking}
        onOpenChange={ask}
        title="Erase CM-000001?"
        act="Erase CM-000001"
        typed="CM-000001"
        onConfirm={() => ask(false)}
      >
        All rows of this customer go. This cannot be taken back.
      </ConfirmDialog>
    </Page>
  );
}
