import type { Request, RequestHandler } from 'express';
import { z } from 'zod';
import { publicOffer } from '../billing/checkout/offer.ts';
import { closedFor } from '../billing/offers/offer-standing.ts';
import { Fault } from '../errors/fault.ts';
import type { HttpDeps } from '../http/deps.ts';
import { methodOf } from '../http/router.ts';
import type { Pages } from '../pages/pages.ts';
import { webOrigin } from '../pages/policy.ts';
import { sendShell } from '../pages/send.ts';
import { offerTerms, previewOf } from './html.ts';

/** The page at an offer's `checkoutUrl`. Public: anybody with the link may see it, limited per address. */
export function checkoutPage(deps: HttpDeps, pages: Pages): RequestHandler<{ offerId: string }> {
  return async (request, response, next) => {
    if (methodOf(request) !== 'GET') return next();
    const found = await publicOffer(deps.store, request.params.offerId).catch((error: unknown) => {
      const isForPeople = error instanceof Fault && error.code === 'not_found' && wantsPage(request);
      if (!isForPeople) throw error;
      return null;
    });
    const offer = found?.offer ?? null;
    const image = webOrigin(offer?.imageUrl);
    const isOpen = offer !== null && closedFor(offer, deps.clock()) === null;
    await sendShell(response, pages, {
      name: 'checkout',
      title: offer?.name ?? 'Not found',
      status: offer === null ? 404 : 200,
      toRoot: '..',
      hasDevnet: deps.devnet() !== null,
      ...(offer === null
        ? {}
        : {
            withoutScripts: offerTerms(offer, { isOpen }),
            preview: { description: previewOf(offer, { isOpen }), imageUrl: image && offer.imageUrl },
          }),
      allowed: {
        images: image === null ? [] : [image],
        connections: devnetOrigins(deps),
        framedBy: embedderOf(request),
      },
    });
  };
}

/** The page at an `authorizationUrl`. The page asks the checkout API for the purpose of its token. */
export function authorizePage(deps: HttpDeps, pages: Pages): RequestHandler<{ token: string }> {
  return async (request, response, next) => {
    if (methodOf(request) !== 'GET') return next();
    await sendShell(response, pages, {
      name: 'authorize',
      title: 'Authorize a subscription',
      toRoot: '../..',
      hasDevnet: deps.devnet() !== null,
      allowed: { connections: devnetOrigins(deps) },
    });
  };
}

function wantsPage({ headers }: Pick<Request, 'headers'>): boolean {
  return headers.accept?.includes('text/html') === true;
}

/** A test wallet in the page signs by itself, and sends its transactions to the local chains. */
export function devnetOrigins(deps: HttpDeps): string[] {
  const { evm, solana } = rpcUrls.parse(deps.devnet() ?? {});
  return [evm, solana].flatMap((part) => webOrigin(part?.rpcUrl) ?? []);
}

const rpcUrl = z.object({ rpcUrl: z.string() }).nullish();
const rpcUrls = z.object({ evm: rpcUrl, solana: rpcUrl });

/**
 * The one origin whose pages may frame this page; the embed script names it in `?embed=`. The page talks only to that origin,
 * so another origin in the URL gets nothing from the real one.
 */
function embedderOf({ url }: Pick<Request, 'url'>): string | null {
  return webOrigin(new URL(url, 'http://service').searchParams.get('embed'));
}
