// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {LowLevelCall} from "@openzeppelin/contracts/utils/LowLevelCall.sol";

import {RouterOnly} from "./RouterOnly.sol";
import {TokenCalls} from "./TokenCalls.sol";

/// @title One payment's deposit address
/// @notice NOT AUDITED. An EIP-1167 clone of this is made at `Router.depositOf(key)` when what was sent there is
/// charged or given back. It needs no key and no gas of its own; only the router can move what it holds. It has no
/// `receive`: once it is made it refuses plain transfers of the native coin, which then stay with their sender; what
/// came before that can be given back.
contract DepositForwarder is RouterOnly {
    /// @notice Moves `amount` of `token` to the router, as the first half of a charge.
    /// Reverts with PullFailed if the token refuses.
    function pull(address token, uint256 amount) external onlyRouter {
        uint256 given = gasleft();
        if (!TokenCalls.push(token, router, amount)) revert PullFailed(TokenCalls.why(given));
    }

    /// @notice Gives `amount` of `token` (the zero address: of the native coin) back to `to`.
    /// Reverts with RefundFailed if the token or the receiver refuses.
    function refund(address token, address to, uint256 amount) external onlyRouter {
        uint256 given = gasleft();
        bool done = token == address(0)
            ? LowLevelCall.callNoReturn(to, amount, "")
            : TokenCalls.push(token, to, amount);
        if (!done) revert RefundFailed(TokenCalls.why(given));
    }
}
