import { Panel } from '../../../web/ui/panel.tsx';

/** The custom properties of the theme that are wanted, in their order. */
function tokens(isWanted: (name: string, value: string) => boolean): string[] {
  const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]);
  const roots = rules
    .filter((rule) => rule instanceof CSSStyleRule)
    .filter(({ selectorText }) => selectorText === ':root');
  const names = new Set(roots.flatMap(({ style }) => [...style].filter((name) => name.startsWith('--'))));
  const computed = getComputedStyle(document.documentElement);
  return [...names].filter((name) => isWanted(name, computed.getPropertyValue(name).trim()));
}

/** Colours, space and type, as the styles declare them. */
export function Tokens() {
  const colours = tokens((_, value) => value.startsWith('#'));
  const spaces = tokens((name) => name.startsWith('--step-'));
  return (
    <>
      <Panel title="Colours">
        <ul class="plain-list grid">
          {colours.map((name) => (
            <li key={name} class="stack-tight small">
              <div class="card" style={{ background: `var(${name})` }} />
              <code>{name}</code>
            </li>
          ))}
        </ul>
      </Panel>
      <Panel title="Space">
        {spaces.map((name) => (
          <div key={name} class="stack-tight small">
            <code>{name}</code>
            <div style={{ background: 'var(--accent)', width: `var(${name})`, height: `var(${name})` }} />
          </div>
        ))}
      </Panel>
      <Panel title="Type" id="type">
        <p>
          Plain text with <a href="#type">a link to this section</a>, <code>code</code> and{' '}
          <strong>a strong word</strong>.
        </p>
        {tokens((name) => name.startsWith('--type-')).map((name) => (
          <p key={name} style={{ fontSize: `var(${name})` }}>
            {name}
          </p>
        ))}
        <p class="soft">Soft text.</p>
        <p class="number">1,234.50 below 987.00: digits of one width.</p>
        <p class="typed">{'Text that a person typed,\nwith its line breaks.'}</p>
        <h3>A heading of level 3</h3>
        <p class="visually-hidden">Only screen readers get this.</p>
      </Panel>
    </>
  );
}
