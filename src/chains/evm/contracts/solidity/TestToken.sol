// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";
import {ShortString, ShortStrings} from "@openzeppelin/contracts/utils/ShortStrings.sol";

/// @title A token for local chains
/// @notice NOT AUDITED, worth nothing, and never to be deployed where money is. An ordinary ERC-20 with permits, whose
/// owner mints it and keeps two lists: wallets whose transfers revert, and wallets to which transfers revert.
/// All that the constructor sets is in the code and none of it in storage: the code put at another address (as
/// `anvil_setCode` does) is a token of the same name, symbol, decimals and owner.
contract TestToken is ERC20, ERC20Permit {
    using ShortStrings for string;
    using ShortStrings for ShortString;

    /// @notice The caller is not the owner.
    error NotOwner(address caller, address owner);
    /// @notice `account` is on the list of those whose transfers revert.
    error SenderFrozen(address account);
    /// @notice `account` is on the list of those to whom transfers revert.
    error RecipientRefuses(address account);

    /// @notice `account` was put on the list of frozen senders, or taken off it.
    event FrozenChanged(address indexed account, bool frozen);
    /// @notice `account` was put on the list of refusing recipients, or taken off it.
    event RefusingChanged(address indexed account, bool refusing);

    /// @notice Who may mint and keep the lists.
    address public immutable owner;
    /// @notice Whether transfers from this account revert, whatever its balance and approvals.
    mapping(address account => bool) public frozen;
    /// @notice Whether transfers (and mints) to this account revert.
    mapping(address account => bool) public refusing;

    ShortString private immutable _shortName;
    ShortString private immutable _shortSymbol;
    uint8 private immutable _decimals;

    modifier onlyOwner() {
        if (msg.sender != owner) revert NotOwner(msg.sender, owner);
        _;
    }

    /// @param name_ at most 31 bytes; also the name in the domain of permits, whose version is "1"
    /// @param symbol_ at most 31 bytes
    constructor(
        string memory name_,
        string memory symbol_,
        uint8 decimals_,
        address owner_
    ) ERC20("", "") ERC20Permit(name_) {
        _shortName = name_.toShortString();
        _shortSymbol = symbol_.toShortString();
        _decimals = decimals_;
        owner = owner_;
    }

    /// @notice Makes `amount` base units out of nothing for `to`.
    function mint(address to, uint256 amount) external onlyOwner {
        _mint(to, amount);
    }

    /// @notice Puts `account` on the list of frozen senders, or takes it off.
    function setFrozen(address account, bool value) external onlyOwner {
        frozen[account] = value;
        emit FrozenChanged(account, value);
    }

    /// @notice Puts `account` on the list of refusing recipients, or takes it off.
    function setRefusing(address account, bool value) external onlyOwner {
        refusing[account] = value;
        emit RefusingChanged(account, value);
    }

    /// @inheritdoc ERC20
    function name() public view override returns (string memory) {
        return _shortName.toString();
    }

    /// @inheritdoc ERC20
    function symbol() public view override returns (string memory) {
        return _shortSymbol.toString();
    }

    /// @inheritdoc ERC20
    function decimals() public view override returns (uint8) {
        return _decimals;
    }

    function _update(address from, address to, uint256 value) internal override {
        if (frozen[from]) revert SenderFrozen(from);
        if (refusing[to]) revert RecipientRefuses(to);
        super._update(from, to, value);
    }
}
