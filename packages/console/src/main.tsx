import './ui/styles/console.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { features } from './app/manifest.ts';
import { createConsoleRouter, isReported } from './app/router.tsx';
import { chosenTheme, showTheme } from './app/theme.ts';
import { readBoot, setBoot } from './data/boot.ts';
import { connect } from './data/call.ts';
import { openTray } from './data/live/tray.ts';
import { createQueryClient } from './data/query-client.ts';
import { allowStyles } from './ui/preview/nonce.ts';

allowStyles(document.querySelector<HTMLElement>('meta[property="csp-nonce"]')?.nonce ?? '');

connect(document.baseURI);
setBoot(
  readBoot(document.getElementById('boot')?.textContent ?? '') ??
    (await (await import('./data/fetch-boot.ts')).fetchBoot()),
);
showTheme(chosenTheme());
openTray({
  watches: Object.assign({}, ...features.map(({ jobs }) => jobs ?? {})),
  now: Date.now,
  isSeen: () => document.visibilityState === 'visible',
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
});

const router = createConsoleRouter(document.baseURI);
const place = document.getElementById('root');
if (place === null) throw new Error('the page has no element #root');
createRoot(place, {
  onCaughtError: (error) => {
    if (!isReported(error)) console.error(error);
  },
}).render(
  <StrictMode>
    <QueryClientProvider client={createQueryClient()}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
