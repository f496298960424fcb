import '../ui/theme.css';
import '../ui/components.css';
import '../pay/pay.css';

/** Without a script, the browser's own menu prints. */
const button = document.querySelector<HTMLButtonElement>('#print');
if (button !== null) {
  button.hidden = false;
  button.addEventListener('click', () => window.print());
}
