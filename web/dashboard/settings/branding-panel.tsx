import { useState } from 'preact/hooks';
import { GROUNDS, type Scheme, textOn } from '../../../machines/rules/accent.ts';
import type { OwnBranding as Branding, EmbedOrigins } from '../../../src/dashboard/wire.ts';
import { toBase64 } from '../../pay/base64.ts';
import { serviceUrl } from '../../ui/api.ts';
import { Button } from '../../ui/button.tsx';
import { Field, FileField } from '../../ui/field.tsx';
import { ActionForm, Fields, type FormField, useValues } from '../../ui/form.tsx';
import { LoadFailed, WhenLoaded } from '../../ui/load-failed.tsx';
import { messageOf } from '../../ui/message-of.ts';
import { toast } from '../../ui/notice.tsx';
import { Panel } from '../../ui/panel.tsx';
import { accentProperties } from '../../ui/use-accent.ts';
import { patch, useLoad, useRole } from '../dashboard-api.ts';

/** The logo and the accent colour of the payer's pages. */
export function BrandingPanel() {
  const isAdmin = useRole('admin');
  const loaded = useLoad<Branding>('/branding');
  const [saved, setSaved] = useState<Branding | null>(null);
  const branding = saved ?? loaded.value;
  return (
    <Panel title="Branding">
      <p class="soft">
        Payers see it at your checkout, at your authorization links and in the portal, in test and in live mode.
      </p>
      {loaded.error !== null && <LoadFailed loaded={loaded} />}
      {branding !== null &&
        (isAdmin ? (
          <BrandingForm key={JSON.stringify(branding)} branding={branding} onSaved={setSaved} />
        ) : (
          <>
            <p>Accent colour: {branding.accentColor ?? 'that of the service'}</p>
            <p class="typed">
              {[branding.legalName, branding.legalAddress].filter((part) => part !== null).join('\n')}
            </p>
            <BrandingPreview logoUrl={urlOf(branding)} accentColor={branding.accentColor} />
          </>
        ))}
    </Panel>
  );
}

function urlOf({ logoPath }: Branding): string | null {
  return logoPath && serviceUrl(logoPath);
}

const SELLER: readonly FormField<'legalName' | 'legalAddress'>[] = [
  {
    name: 'legalName',
    label: 'Legal name',
    maxLength: 200,
    hint: 'Who sells, on receipts. Empty: the name of your account.',
  },
  { name: 'legalAddress', label: 'Legal address, on receipts', rows: 4, maxLength: 500 },
];

const COLOR = /^#[0-9a-f]{6}$/i;

interface BrandingFormProps {
  readonly branding: Branding;
  readonly onSaved: (branding: Branding) => void;
}

function BrandingForm({ branding, onSaved }: BrandingFormProps) {
  // undefined: it stays; null: it goes.
  const [logo, setLogo] = useState<Logo | null | undefined>(undefined);
  const [fileError, setFileError] = useState<string | null>(null);
  const [color, setColor] = useState(branding.accentColor ?? '');
  const { values, onChange } = useValues({
    legalName: branding.legalName ?? '',
    legalAddress: branding.legalAddress ?? '',
  });
  const accentColor = color.trim() === '' ? null : color.trim();
  const isColor = accentColor === null || COLOR.test(accentColor);
  const logoUrl = logo === undefined ? urlOf(branding) : (logo?.url ?? null);
  const choose = (file: File) => {
    setFileError(null);
    readLogo(file).then(setLogo, (error: unknown) => setFileError(messageOf(error)));
  };
  const save = async () => {
    if (!isColor) return;
    const seller = { legalName: values.legalName.trim() || null, legalAddress: values.legalAddress.trim() || null };
    const body = { accentColor, ...seller, ...(logo === undefined ? {} : { logo: logo?.base64 ?? null }) };
    onSaved(await patch<Branding>('/branding', body));
    toast('The branding is saved.', 'good');
  };
  return (
    <ActionForm action="Save the branding" run={save}>
      <FileField
        label="Logo"
        accept={LOGO_TYPES}
        hint="PNG, JPEG or WebP, at most 64 KB and 1024 pixels on each side. It is shown on white."
        error={fileError}
        onFile={choose}
      />
      {logoUrl !== null && (
        <div>
          <Button size="small" label="Remove the logo" onClick={() => setLogo(null)}>
            Remove
          </Button>
        </div>
      )}
      <div class="colour">
        <Field
          label="Accent colour"
          value={color}
          onInput={setColor}
          placeholder="#0b5f7a"
          hint="For links and the main button. Empty: the colour of the service."
          error={isColor ? null : 'Write it as # and six digits or letters from a to f, such as #0b5f7a.'}
        />
        <input
          type="color"
          aria-label="Choose the accent colour"
          value={isColor && accentColor !== null ? accentColor : '#0b5f7a'}
          onInput={({ currentTarget }) => setColor(currentTarget.value)}
        />
      </div>
      <Fields fields={SELLER} values={values} onChange={onChange} />
      <BrandingPreview logoUrl={logoUrl} accentColor={isColor ? accentColor : null} />
    </ActionForm>
  );
}

/** The accent of `theme.css`. */
const OWN: { readonly [S in Scheme]: string } = { light: '#0b5f7a', dark: '#62c3e2' };

interface BrandingPreviewProps {
  /** null: none. */
  readonly logoUrl: string | null;
  /** null: that of the service. */
  readonly accentColor: string | null;
}

/** How payers see it, in light and in dark. */
function BrandingPreview({ logoUrl, accentColor }: BrandingPreviewProps) {
  return (
    <div class="grid-wide">
      {(['light', 'dark'] as const).map((scheme) => {
        const { surface } = GROUNDS[scheme];
        const colours = { background: surface, color: textOn(surface) };
        return (
          <figure key={scheme} class="stack-tight" data-preview={scheme}>
            <figcaption class="small">On a {scheme} screen</figcaption>
            <div
              class="row branding-preview"
              style={{ ...colours, ...accentProperties(accentColor ?? OWN[scheme], scheme) }}
            >
              {logoUrl !== null && <img class="logo" src={logoUrl} alt="Your logo" />}
              <span class="button button-primary">Pay</span>
              <span class="link">A link</span>
            </div>
          </figure>
        );
      })}
    </div>
  );
}

/** The bounds of the service, so that a wrong file is named before it is sent. */
const BYTES_MAX = 64 * 1024;
const SIDE_MAX = 1_024;

const LOGO_TYPES = 'image/png,image/jpeg,image/webp';

interface Logo {
  /** A data URL, which the page may show. */
  readonly url: string;
  readonly base64: string;
}

/** A chosen file. Throws an error for people if it is not a logo. */
async function readLogo(file: File): Promise<Logo> {
  if (!LOGO_TYPES.split(',').includes(file.type))
    throw new Error(`${file.name} is no PNG, JPEG or WebP picture. SVG is not taken, because it can contain scripts.`);
  if (file.size > BYTES_MAX)
    throw new Error(`${file.name} has ${Math.ceil(file.size / 1024)} KB. A logo may have ${BYTES_MAX / 1024} KB.`);
  const base64 = toBase64(new Uint8Array(await file.arrayBuffer()));
  const url = `data:${file.type};base64,${base64}`;
  const image = new Image();
  image.src = url;
  await image.decode().catch(() => {
    throw new Error(`${file.name} cannot be shown: the file is damaged.`);
  });
  const { naturalWidth: width, naturalHeight: height } = image;
  if (Math.max(width, height) <= SIDE_MAX) return { url, base64 };
  throw new Error(`${file.name} has ${width} by ${height} pixels. A logo may have ${SIDE_MAX} on each side.`);
}

/** The sites that may show the checkout of live offers in a frame. */
export function EmbedPanel() {
  const isAdmin = useRole('admin');
  const loaded = useLoad<EmbedOrigins>('/embed-origins');
  return (
    <Panel title="Embedded checkout">
      <p class="soft">
        Only these sites can show your live checkout in a frame. In test mode every site can, so that you can try it.
      </p>
      <WhenLoaded loaded={loaded}>
        {({ origins }) => (isAdmin ? <OriginsForm origins={origins} /> : <p>{origins.join(', ') || 'No site.'}</p>)}
      </WhenLoaded>
    </Panel>
  );
}

function OriginsForm({ origins }: EmbedOrigins) {
  const [typed, setTyped] = useState(origins.join(' '));
  const save = async () => {
    const named = typed.split(/[\s,]+/).filter((origin) => origin !== '');
    const saved = await patch<EmbedOrigins>('/embed-origins', { origins: named });
    setTyped(saved.origins.join(' '));
    toast('The sites are saved.', 'good');
  };
  return (
    <ActionForm action="Save the sites" run={save}>
      <Field
        label="Sites"
        value={typed}
        onInput={setTyped}
        hint="Origins such as https://shop.example.com, separated by spaces."
      />
    </ActionForm>
  );
}
