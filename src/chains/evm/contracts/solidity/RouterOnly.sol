// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Faults} from "./Faults.sol";

/// @title Functions for the router alone
/// @notice NOT AUDITED. The base of the contracts that the router clones. The router's address is a constant in the
/// implementation's code, so all clones have it, and nobody can set up or take over a clone.
abstract contract RouterOnly is Faults {
    /// @notice The caller is not the router.
    error NotRouter(address caller, address router);

    /// @notice The router that made the implementation: the only caller.
    address public immutable router = msg.sender;

    modifier onlyRouter() {
        if (msg.sender != router) revert NotRouter(msg.sender, router);
        _;
    }
}
