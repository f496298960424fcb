import type { Request, RequestHandler } from 'express';
import { z } from 'zod';
import { mayEmbed } from '../billing/administration/embed-origins.ts';
import { linkedToken } from '../billing/checkout/authorize.ts';
import { type PublicOffer, publicOffer } from '../billing/checkout/offer.ts';
import { Fault } from '../errors/fault.ts';
import type { HttpDeps } from '../http/deps.ts';
import { methodOf } from '../http/router.ts';
import type { Pages } from '../pages/pages.ts';
import { socketOrigin, webOrigin } from '../pages/policy.ts';
import { type PageToSend, sendLostPage, sendShellInLanguage, wantsPage } from '../pages/send.ts';
import { loadingContent, offerContent, previewOf } from './html.ts';
import { offerOnSaleView } from './views/offer.ts';
import type { Offer } from './wire.ts';

/** The page at an offer's `checkoutUrl`. Public: anybody with the link may see it, limited per address. */
export function checkoutPage(deps: HttpDeps, pages: Pages): RequestHandler<{ offerId: string }> {
  return async (request, response, next) => {
    if (methodOf(request) !== 'GET') return next();
    const sale = await orLost(request, publicOffer(deps.store, request.params.offerId));
    if (sale === null) return sendLostPage(request, response, pages);
    const offer = offerOnSaleView(sale, deps);
    const image = webOrigin(offer.imageUrl);
    const { shell, connections } = walletAccess(deps);
    await sendShellInLanguage(request, response, pages, (language) => ({
      name: 'checkout',
      title: offer.name,
      toRoot: '..',
      ...shell,
      first: {
        html: offerContent(offer, '..', language),
        // The page asks again about an offer that is closed.
        data: offer.isOpen ? { at: deps.clock().toISOString(), offer } : null,
      },
      preview: {
        description: previewOf(offer, language),
        imageUrl: imageOf(offer, image, deps.config.publicUrl),
      },
      allowed: {
        images: image === null ? [] : [image],
        connections,
        framedBy: embedderOf(request, sale),
      },
    }));
  };
}

/** null: there is none, and people get a page that says so. Programs get the error. */
async function orLost<Found>(request: Pick<Request, 'headers'>, found: Promise<Found>): Promise<Found | null> {
  return found.catch((error: unknown) => {
    const isForPeople = error instanceof Fault && error.code === 'not_found' && wantsPage(request);
    if (!isForPeople) throw error;
    return null;
  });
}

/** The picture of the offer, or the logo of its merchant. `origin` null: the picture has no address of the web. */
function imageOf({ imageUrl, branding }: Offer, origin: string | null, publicUrl: string): string | null {
  return (origin && imageUrl) ?? (branding.logoPath && `${publicUrl}${branding.logoPath}`);
}

/** The page at an `authorizationUrl`. The page asks the checkout API for the purpose of its token. */
export function authorizePage(deps: HttpDeps, pages: Pages): RequestHandler<{ token: string }> {
  return async (request, response, next) => {
    if (methodOf(request) !== 'GET') return next();
    if ((await orLost(request, linkedToken(deps, request.params.token))) === null)
      return sendLostPage(request, response, pages);
    const { shell, connections } = walletAccess(deps);
    await sendShellInLanguage(request, response, pages, (language) => ({
      name: 'authorize',
      title: language.say('shell.authorize'),
      toRoot: '../..',
      ...shell,
      first: { html: loadingContent(language, 'columns'), data: null },
      allowed: { connections },
    }));
  };
}

/**
 * What a page needs on which a payer chooses a wallet: the parts of its shell, and the hosts that wallets are reached
 * by.
 */
export function walletAccess(deps: Pick<HttpDeps, 'devnet' | 'config'>): {
  readonly shell: Pick<PageToSend, 'hasDevnet' | 'walletConnect'>;
  readonly connections: readonly string[];
} {
  const { walletConnect } = deps.config;
  const relay = walletConnect && socketOrigin(walletConnect.relayUrl);
  return {
    shell: { hasDevnet: deps.devnet() !== null, walletConnect },
    connections: [...devnetOrigins(deps), ...(relay === null ? [] : [relay])],
  };
}

/** A test wallet in the page signs by itself, and sends its transactions to the local chains. */
function devnetOrigins(deps: Pick<HttpDeps, 'devnet'>): string[] {
  const { evm, solana } = rpcUrls.parse(deps.devnet() ?? {});
  return [evm, solana].flatMap((part) => webOrigin(part?.rpcUrl) ?? []);
}

const rpcUrl = z.object({ rpcUrl: z.string() }).nullish();
const rpcUrls = z.object({ evm: rpcUrl, solana: rpcUrl });

/**
 * The one origin whose pages may frame this page; null: none. The embed script names it in `?embed=`, and the merchant
 * has to allow it. The page talks only to that origin, so another origin in the URL gets nothing from the real one.
 */
function embedderOf({ url }: Pick<Request, 'url'>, { offer, merchant }: PublicOffer): string | null {
  const named = webOrigin(new URL(url, 'http://service').searchParams.get('embed'));
  return named !== null && mayEmbed(merchant, offer.mode, named) ? named : null;
}
