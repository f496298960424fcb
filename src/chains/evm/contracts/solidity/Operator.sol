// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {RouterOnly} from "./RouterOnly.sol";
import {TokenCalls} from "./TokenCalls.sol";

/// @title The open operator of one merchant
/// @notice NOT AUDITED. Its clone (EIP-1167) is at `Router.operatorOf(merchant)` from the first charge on. A payer who
/// approves it allows charges for this merchant only. It has no tokens, no owner and no storage, and works only for the
/// router.
contract Operator is RouterOnly {
    /// @notice Moves `amount` of `token` from `from`, who has approved this operator, to the router. Reverts with
    /// PullFailed if the token refuses.
    function pull(address token, address from, uint256 amount) external onlyRouter {
        uint256 given = gasleft();
        if (!TokenCalls.pull(token, from, router, amount)) revert PullFailed(TokenCalls.why(given));
    }
}
