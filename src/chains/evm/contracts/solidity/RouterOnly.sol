// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Faults} from "./Faults.sol";

/// @title What only the router may call
/// @notice NOT AUDITED. The base of the two contracts that the router makes clones of. The router is a constant of the
/// implementation's code, so it is the same in every clone, and no clone has anything to set up or to take over.
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
