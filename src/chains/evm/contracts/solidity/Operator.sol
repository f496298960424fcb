// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {RouterOnly} from "./RouterOnly.sol";
import {TokenCalls} from "./TokenCalls.sol";

/// @title One merchant's operator: what that merchant's payers approve
/// @notice NOT AUDITED. An EIP-1167 clone of this stands (or will stand, from the merchant's first charge on) at
/// `Router.operatorOf(merchant)`. An allowance given to it is consent to be charged for that merchant and for no other.
/// It holds nothing, has no owner and no storage, and does one thing, for the router alone.
contract Operator is RouterOnly {
    /// @notice Moves `amount` of `token` from `from`, who has approved this operator, to the router.
    /// Reverts with PullFailed if the token refuses.
    function pull(address token, address from, uint256 amount) external onlyRouter {
        uint256 given = gasleft();
        if (!TokenCalls.pull(token, from, router, amount)) revert PullFailed(TokenCalls.why(given));
    }
}
