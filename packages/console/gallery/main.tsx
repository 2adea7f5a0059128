import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import './gallery.css';
import { Toaster } from '../src/ui/overlays/toast.tsx';
import { UiProvider } from '../src/ui/provider.tsx';
import { Charts } from './charts.tsx';
import { Parts } from './parts.tsx';

const root = document.getElementById('root');
if (!root) throw new Error('the page has no root');
document.documentElement.dataset.theme = new URLSearchParams(location.search).get('theme') ?? 'light';

createRoot(root).render(
  <StrictMode>
    <UiProvider
      locale="en-GB"
      timeZone="Europe/Berlin"
      currency="EUR"
      links={{ href: (to) => `#${to}`, go: (to) => location.assign(`#${to}`) }}
    >
      <main>{new URLSearchParams(location.search).get('part') === 'charts' ? <Charts /> : <Parts />}</main>
      <Toaster />
    </UiProvider>
  </StrictMode>,
);
