import { render } from 'preact';
import { DeskPage } from './desk-page.js';
import { openStore } from './desk-store.js';

const root = document.getElementById('desk') as HTMLElement;
// the token has done its work; it need not stay in the address or the history
if (location.search !== '') history.replaceState(null, '', `/${location.hash}`);
try {
  await openStore();
  root.replaceChildren();
  render(<DeskPage />, root);
} catch (error) {
  root.textContent = `The desk could not be opened: ${(error as Error).message}`;
}
