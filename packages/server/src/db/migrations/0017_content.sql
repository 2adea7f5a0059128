-- Content items and their versions (docs/design/api-catalogue.md 3).

create table arbiter.content (
  tenant_id uuid not null references arbiter.tenants (id),
  id uuid not null,
  name text not null check (char_length(name) between 1 and 255),
  channel_type text not null check (channel_type ~ '^[a-z][a-z0-9_]{0,31}$'),
  description text not null default '' check (char_length(description) <= 2000),
  status text not null default 'draft' check (status in ('draft', 'in_review', 'approved', 'published', 'archived')),
  content jsonb not null default '{}' check (jsonb_typeof(content) = 'object'),
  blocks jsonb not null default '[]' check (jsonb_typeof(blocks) = 'array'),
  personalization jsonb not null default '{}' check (jsonb_typeof(personalization) = 'object'),
  is_template boolean not null default false,
  source_type text not null default 'native' check (source_type = 'native'),
  parent_template_id uuid,
  -- Persons: a user id, or `system`.
  submitted_by text,
  submitted_at timestamptz(3),
  approved_by text,
  approved_at timestamptz(3),
  rejection_reason text,
  published_at timestamptz(3),
  -- Number of the last published version; it stays when the item goes back to draft.
  published_version integer,
  -- The templates that went into it: [{ id, version }], version null where the working copy was taken.
  published_from jsonb not null default '[]' check (jsonb_typeof(published_from) = 'array'),
  version integer not null check (version > 0),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (tenant_id, id),
  -- Who approves is another person than who submits.
  constraint content_two_persons check (approved_by is null or approved_by <> submitted_by),
  constraint content_not_own_parent check (parent_template_id <> id),
  foreign key (tenant_id, parent_template_id) references arbiter.content (tenant_id, id)
);
-- Archived items keep their names.
create unique index content_name on arbiter.content (tenant_id, name);
create index content_parents on arbiter.content (tenant_id, parent_template_id) where parent_template_id is not null;
select arbiter.protect_table('arbiter.content');
select arbiter.keep_versions('arbiter.content', 'contentItem');

-- Every version of an item. Rows never change, so they are their own history.
create table arbiter.content_versions (
  tenant_id uuid not null references arbiter.tenants (id),
  id uuid not null,
  content_item_id uuid not null,
  version integer not null check (version > 0),
  kind text not null check (kind in ('create', 'update', 'publish', 'revert')),
  content jsonb not null,
  blocks jsonb not null,
  personalization jsonb not null,
  -- With what came from templates; what decisions show is made of it. Both are set by publishing.
  merged jsonb,
  shown jsonb,
  change_note text,
  changed_by text not null,
  created_at timestamptz(3) not null,
  primary key (tenant_id, content_item_id, version),
  foreign key (tenant_id, content_item_id) references arbiter.content (tenant_id, id) on delete cascade,
  check ((kind = 'publish') = (merged is not null and shown is not null))
);
select arbiter.protect_table('arbiter.content_versions', 'insert_only');

-- Creatives by their content item. Until now none could name one.
alter table arbiter.creatives add constraint creatives_content_item
  foreign key (tenant_id, content_item_id) references arbiter.content (tenant_id, id);
create index creatives_content_items on arbiter.creatives (tenant_id, content_item_id)
  where content_item_id is not null and deleted_at is null;
